import { aFolder } from '../support/folder';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Portal } from '../../src/portal/client';
import { downloadItemData } from '../../src/portal/resources/items/download';
import { readStart } from '../../src/portal/resources/items/item-data';
import { transportItems } from '../../src/simulator/seed/transport';
import { startSimulator } from '../../src/simulator/simulator';
import { startTracing, stopTracing, tracing } from '../../src/tracing/tracing';
import { Authority } from '../support/authority';
import { SpanReceiver, type SpanReceiverOptions, traceTo } from '../support/span-receiver';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const tracestate = 'v=planted';

let receiver: SpanReceiver;
let said: string[];
const say = (words: string): void => void said.push(words);

const set = (variables: Record<string, string>): void => {
  Object.assign(process.env, variables);
};
const folder = aFolder();
beforeEach(() => {
  said = [];
});
afterEach(async () => {
  await stopTracing();
  await receiver.close();
  for (const name of Object.keys(process.env))
    if (/^(OTEL_|PLANTED_|TRACE)/.test(name)) delete process.env[name];
});

const open = async (options?: SpanReceiverOptions): Promise<SpanReceiver> =>
  (receiver = await SpanReceiver.open(options));

/** A span of somebody else's trace, and what is handed on within it. */
function span(): Record<string, string> {
  let handedOn: Record<string, string> = {};
  const served = tracing()!.served({ method: 'POST', route: '/x', headers: { traceparent, tracestate } });
  served.within(() => (handedOn = tracing()!.outgoing()));
  served.end(200);
  return handedOn;
}

describe('a receiver of spans', () => {
  const ofVariables = {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-other=planted',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-traces=planted',
  };

  it('gets the headers of the variables', async () => {
    const { endpoint } = await open();
    set({ ...ofVariables, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    await startTracing(say);
    span();
    await stopTracing();
    expect(receiver.headers).toEqual([
      expect.objectContaining({ 'x-other': 'planted', 'x-traces': 'planted' }),
    ]);
  });

  it('is trusted by OTEL_EXPORTER_OTLP_CERTIFICATE', async () => {
    const authority = Authority.make(folder);
    const { endpoint } = await open({ certificate: authority.issue('collector') });
    set({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    await startTracing(say);
    span();
    await stopTracing();
    const { host } = new URL(endpoint);
    expect(said).toEqual([
      `cannot send traces to ${host} (UNABLE_TO_VERIFY_LEAF_SIGNATURE); runs are not affected`,
    ]);
    set({ OTEL_EXPORTER_OTLP_CERTIFICATE: authority.certificate });
    await startTracing(say);
    span();
    await stopTracing();
    expect(receiver.spans.map(({ name }) => name)).toEqual(['POST /x']);
    expect(said).toHaveLength(1);
  });

  it.each([
    [503, 'HTTP 429, 502, 503 or 504'],
    [401, 'HTTP 401'],
  ])('is reported once with its status %i', async (status, words) => {
    const { endpoint } = await open({ status, headers: { 'retry-after': '60' } });
    await traceTo(receiver, say);
    span();
    await stopTracing();
    expect(said).toEqual([
      `cannot send traces to ${new URL(endpoint).host} (${words}); runs are not affected`,
    ]);
  });
});

describe('an outer trace', () => {
  it('is continued without its state', async () => {
    await traceTo(await open(), say);
    expect(Object.keys(span())).toEqual(['traceparent']);
    set({ TRACEPARENT: traceparent, TRACESTATE: tracestate });
    await tracing()!.command('test', () => {
      expect(Object.keys(tracing()!.outgoing())).toEqual(['traceparent']);
      return Promise.resolve(0);
    });
    await stopTracing();
    const [, traceId] = traceparent.split('-');
    expect(receiver.spans.map((each) => [each.name, each.traceId])).toEqual([
      ['POST /x', traceId],
      ['portolan test', traceId],
    ]);
    expect(receiver.bodies.join()).not.toContain('planted');
  });
});

describe('a file of a portal', () => {
  it('has its size when whole, its error when cut', async () => {
    await traceTo(await open(), say);
    const state = path.join(folder, 'staging');
    const site = await startSimulator({ name: 'staging', version: '11.4', state, seed: 'transport' });
    const portal = new Portal({
      name: 'staging',
      url: site.url,
      auth: { type: 'password', username: 'owner', secret: () => Promise.resolve('owner-pw') },
      ended: (end) => tracing()?.requestEnded(end),
    });
    const file = (item: string) => ({ operation: 'item.data', path: `content/items/${item}/data` });
    const download = async (item: string): Promise<Buffer> => {
      const { body } = await downloadItemData(portal, item, { from: 0 });
      return await buffer(body);
    };
    let size = 0;
    await tracing()!.command('test', async () => {
      size = (await download(transportItems.csv)).length;
      await readStart(portal, { ...file(transportItems.image), maxBytes: 10 });
      site.faults.add({ match: { operation: 'item.data' }, do: { cut: 500_000 } });
      await expect(download(transportItems.image)).rejects.toThrow('RESPONSE_CUT');
      return 0;
    });
    await portal.close();
    await site.close();
    await stopTracing();
    const files = receiver.spans.filter(({ name }) => name === 'GET item.data');
    expect(size).toBeGreaterThan(0);
    expect(
      files.map(({ status, attributes }) => [
        status.code,
        attributes['http.response.status_code'],
        attributes['http.response.body.size'],
        attributes['error.type'],
      ]),
    ).toEqual([
      ['unset', 200, size, undefined],
      ['unset', 200, undefined, undefined],
      ['error', 200, undefined, 'RESPONSE_CUT'],
    ]);
  });
});
