import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pino from 'pino';
import { Authority } from '../../../src/domain/control/authority';
import { PortolanError } from '../../../src/model/errors/errors';
import { loadConfig } from '../../../src/config/load-config';
import { startServer } from '../../../src/serve/server';
import { transportItems } from '../../../src/simulator/seed/transport';
import { World } from '../../../src/simulator/world';
import { startTracing, stopTracing } from '../../../src/tracing/tracing';
import { Portolan } from '../../support/child';
import { recordOf } from '../../support/json';
import { itLong } from '../../support/long';
import { Site } from '../../support/site';
import { above, type ReceivedSpan, SpanReceiver } from '../../support/span-receiver';

const traceId = '0af7651916cd43dd8448eb211c80319c';
/** The span of a job that calls the command. */
const job = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${job}-01`;
const password = 'Correct-Horse_Battery+Staple/7391';
const reason = 'planted-reason';

let receiver: SpanReceiver;
let site: Site;
const said: string[] = [];
/** Headers of all requests to portals. */
const sent: string[] = [];
const before = { ...process.env };
const hashed = jest.spyOn(World.prototype, 'hash');
const note = (message: unknown) => {
  const { headers } = (message as { readonly request: { readonly headers: unknown } }).request;
  sent.push(JSON.stringify(headers));
};

beforeAll(async () => {
  subscribe('undici:request:create', note);
  receiver = await SpanReceiver.open();
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.endpoint;
  await startTracing((words) => void said.push(words));
  site = await Site.open({
    listed: true,
    items: [transportItems.image, transportItems.map, transportItems.pdf],
    user: { username: 'owner', password },
    source: { passwords: { owner: password }, jobPolls: 2 },
    target: { passwords: { owner: password } },
    config: { serve: { address: '127.0.0.1:0', open: true } },
  });
});
afterAll(async () => {
  unsubscribe('undici:request:create', note);
  await site.close();
  await stopTracing();
  await receiver.close();
  process.env = before;
});

const typed = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  new Portolan([...args, '-o', 'json'], { cwd: site.folder, env }).ended;

const ofPortals = (spans: readonly ReceivedSpan[]): ReceivedSpan[] =>
  spans.filter(({ kind }) => kind === 'client');

describe('trace of a run', () => {
  let runId: string;
  let spans: readonly ReceivedSpan[];

  it('leads from the job that calls the command to the requests to portals', async () => {
    const ended = await typed({ TRACEPARENT: traceparent }, 'sync', 'transport', '--reason', reason);
    expect(ended.stderr).not.toContain('traces');
    expect(ended.status).toBe(0);
    ({ runId } = recordOf(ended));
    spans = await receiver.traceOf(runId);
    expect(new Set(spans.map((each) => each.traceId))).toEqual(new Set([traceId]));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const exported = ofPortals(spans).find(({ name }) => name === 'POST group.export')!;
    expect(above(spans, exported)).toEqual([
      'POST group.export',
      'RunActivity:startExport',
      'RunWorkflow:sync',
      'StartWorkflow:sync',
      'portolan sync',
      job,
    ]);
    for (const each of spans) expect(above(spans, each).slice(-2)).toEqual(['portolan sync', job]);
    const portals = new Set(ofPortals(spans).map(({ attributes }) => attributes['portolan.portal']));
    expect(portals).toEqual(new Set(['staging', 'production']));
    expect(exported.attributes).toMatchObject({
      'portolan.portal': 'staging',
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
      'portolan.attempt': 1,
    });
    expect(exported.attributes['url.path']).toMatch(
      /^\/portal\/sharing\/rest\/community\/groups\/\w+\/export$/,
    );
    const files = ofPortals(spans).filter(({ name }) => name === 'GET item.data');
    const sizes = files.map(({ attributes }) => Number(attributes['http.response.body.size'] ?? 0));
    expect(Math.max(...sizes)).toBeGreaterThan(1_000_000);
  });

  it('names phase, route and portal of each attempt, and no poll as an error', () => {
    const looks = spans.filter(
      ({ name, attributes }) =>
        name === 'RunActivity:pollJob' && attributes['portolan.phase'] === 'wait-export',
    );
    expect(looks.length).toBeGreaterThan(1);
    expect(looks.map(({ attributes }) => attributes['portolan.attempt'])).toEqual(
      looks.map((_, at) => at + 1),
    );
    expect(looks[0]).toMatchObject({
      status: { code: 'unset' },
      attributes: {
        'portolan.outcome': 'not yet',
        'portolan.phase': 'wait-export',
        'portolan.route': 'transport',
        'portolan.portal': 'staging',
        'portolan.run': runId,
      },
    });
    // Portals refuse some requests, and lack some items.
    const failed = spans.filter(({ status }) => status.code === 'error');
    expect(failed.filter(({ kind }) => kind !== 'client')).toEqual([]);
    expect(failed.map(({ attributes }) => attributes['error.type'])).not.toContain('ITEM_NOT_FOUND');
    const [run] = receiver.ofRun(runId);
    expect(run?.attributes).toMatchObject({ 'portolan.kind': 'sync', 'portolan.outcome': 'succeeded' });
    // Portal queues serve many runs and are in no trace.
    const ofQueues = receiver.spans.filter(
      ({ name, attributes }) => attributes['portolan.kind'] === 'portal-queue' || name.endsWith(':watchRun'),
    );
    expect(ofQueues).toEqual([]);
  });

  it('holds no token, job key, query or reason, and is sent to no portal [P15]', () => {
    const secrets = [password, encodeURIComponent(password), reason, 'owner-pw'];
    hashed.mock.calls.forEach(([text], index) => {
      if (/^[0-9a-f]{32}$/.test(text)) secrets.push(text);
      else if (text.startsWith('eyJ')) secrets.push(`${text}.${String(hashed.mock.results[index]?.value)}`);
    });
    expect(secrets.filter((each) => /^[0-9a-f]{32}$/.test(each)).length).toBeGreaterThanOrEqual(2);
    const all = receiver.bodies.join('\n');
    expect(all).toContain(runId);
    expect(secrets.filter((each) => all.includes(each))).toEqual([]);
    const values = receiver.spans.flatMap(({ name, attributes }) => [name, ...Object.values(attributes)]);
    expect(values.filter((each) => /[?&]|Bearer/.test(String(each)))).toEqual([]);
    expect(Math.max(...values.map((each) => String(each).length))).toBeLessThanOrEqual(300);
    // Portals are not told of the trace.
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.filter((headers) => headers.includes(traceId) || /traceparent/i.test(headers))).toEqual([]);
  });

  it('has a trace of its own if started outside of one, with each attempt to accept it', async () => {
    const away = new PortolanError('STORE_UNREACHABLE', 'The store is away.');
    const admit = jest.spyOn(Authority.prototype, 'admitStart');
    admit.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    const own = await site.sync();
    expect(own.record.status).toBe('nothing-to-do');
    const trace = await receiver.traceOf(own.runId);
    const ofRun = receiver.spans.filter(({ attributes }) => attributes['portolan.run'] === own.runId);
    expect(new Set(ofRun.map((each) => each.traceId))).toEqual(new Set([trace[0]?.traceId]));
    expect(trace[0]?.traceId).not.toBe(traceId);
    expect(receiver.ofRun(own.runId)).toHaveLength(1);
    for (const each of trace) expect(above(trace, each).at(-1)).toBe('RunWorkflow:sync');
    expect(ofPortals(trace).length).toBeGreaterThan(5);
    const attempts = ofRun.filter(({ name }) => name === 'RunActivity:admitStart');
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual([
      'STORE_UNREACHABLE',
      'STORE_UNREACHABLE',
      undefined,
    ]);
  });

  it('continues the trace of a request to portolan serve', async () => {
    const server = await startServer(
      loadConfig(path.join(site.folder, 'portolan.yaml')),
      pino({ level: 'silent' }),
    );
    const ended = await typed(
      { PORTOLAN_SERVER: server.url, TRACEPARENT: traceparent, OTEL_SDK_DISABLED: 'true' },
      ...['sync', 'transport', '--plan-only'],
    );
    const { runId: asked } = recordOf(ended);
    const trace = await receiver.traceOf(asked);
    const [run] = receiver.ofRun(asked);
    expect(above(trace, run!)).toEqual(['RunWorkflow:sync', 'StartWorkflow:sync', 'POST /api/v1/syncs', job]);
    await server.close();
  });

  itLong('is lost with one warning if the collector does not answer', async () => {
    const lines: net.Socket[] = [];
    const silent = net.createServer((line) => void lines.push(line.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const ended = await typed(
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
      ...['sync', 'transport', '--plan-only', '--no-wait'],
    );
    for (const line of lines) line.destroy();
    silent.close();
    expect(ended.status).toBe(0);
    expect(ended.stderr.match(/traces/g)).toHaveLength(1);
    expect(ended.stderr).toContain(
      `warning: cannot send traces to 127.0.0.1:${port} (not accepted in time); runs are not affected`,
    );
    const handle = site.handle(recordOf(ended).runId);
    await expect(handle.result()).resolves.toMatchObject({ status: 'nothing-to-do' });
  });

  it('ends when the next worker sends none', async () => {
    await site.stopWorker();
    const began = await site.start();
    await stopTracing();
    await site.startWorker();
    const { record } = await site.ended(began);
    expect(record.status).toBe('nothing-to-do');
    expect(said).toEqual([]);
  });
});
