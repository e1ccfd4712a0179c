import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findTemporalCli } from '../../src/temporal/dev-server/temporal-cli';
import { stopTracing } from '../../src/tracing/tracing';
import { type CodecWorld, openCodecWorld } from './codec-world';
import { SpanReceiver, traceTo } from '../support/span-receiver';
import { temporalAddress } from '../support/temporal';

const run = promisify(execFile);
const origin = 'http://temporal.example.com:8080';
const base64 = (text: string) => Buffer.from(text).toString('base64');

let world: CodecWorld;
beforeAll(async () => {
  world = await openCodecWorld(origin, temporalAddress());
});
afterAll(() => world?.close());

interface Payloads {
  readonly payloads: readonly { readonly metadata: Record<string, string>; readonly data: string }[];
}
const plain: Payloads = {
  payloads: [{ metadata: { encoding: base64('json/plain') }, data: base64('{"title":"Bridges"}') }],
};

const post = (what: 'encode' | 'decode', headers: Record<string, string>, body: unknown = plain) =>
  fetch(`${world.url}/codec/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-namespace': 'default', ...headers },
    body: JSON.stringify(body),
  });
const byKey = () => ({ authorization: `Bearer ${world.key}` });
const byCookie = () => ({ cookie: `${world.cookie.name}=${world.cookie.value}` });

describe('an encrypted payload', () => {
  it("is read by Temporal's own command line with a key of serve", async () => {
    const { path: cli } = await findTemporalCli();
    const { stdout } = await run(cli, [
      ...['workflow', 'show', '--workflow-id', world.workflowId, '--address', temporalAddress()],
      ...['--output', 'json', '--codec-endpoint', `${world.url}/codec`],
      ...['--codec-auth', `Bearer ${world.key}`],
    ]);
    expect(stdout).toContain(base64(JSON.stringify({ words: world.words })));
  });

  it('is decrypted only for the named origin, with a session or a key [P23][P25]', async () => {
    const encoded = await post('encode', byKey());
    const sealed = (await encoded.json()) as Payloads;
    expect(sealed.payloads[0]?.metadata).toEqual({
      encoding: base64('binary/encrypted'),
      'encryption-key-id': base64('2026-11'),
    });
    expect(JSON.stringify(sealed)).not.toContain(plain.payloads[0]?.data);

    const before = await fetch(`${world.url}/codec/decode`, { method: 'OPTIONS', headers: { origin } });
    expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(before.headers.get('access-control-allow-headers')).toContain('X-Namespace');
    const shown = await post('decode', { ...byCookie(), origin, 'sec-fetch-site': 'same-site' }, sealed);
    expect(shown.headers.get('access-control-allow-origin')).toBe(origin);
    expect(shown.headers.get('access-control-allow-credentials')).toBe('true');
    expect(await shown.json()).toEqual(plain);

    const elsewhere = { origin: 'http://temporal.example.com', 'sec-fetch-site': 'same-site' };
    const asked = await fetch(`${world.url}/codec/decode`, { method: 'OPTIONS', headers: elsewhere });
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    for (const [status, headers] of [
      [401, { origin }],
      [403, { ...byCookie(), ...elsewhere }],
      [403, byCookie()],
      [401, { authorization: 'Bearer another', origin }],
    ] as const) {
      const refused = await post('decode', headers, sealed);
      expect(refused.status).toBe(status);
      expect(await refused.text()).not.toContain(plain.payloads[0]?.data);
    }
    // Nothing else of the server is opened to that origin.
    const other = await fetch(`${world.url}/api/v1/whoami`, { headers: { ...byKey(), origin } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    const changed = await fetch(`${world.url}/api/v1/syncs`, {
      method: 'POST',
      headers: { ...byCookie(), origin, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(changed.status).toBe(403);
  });

  it('is in no trace', async () => {
    const spans = await SpanReceiver.open();
    await traceTo(spans, () => undefined);
    const traceparent = `00-${'a'.repeat(32)}-b7ad6b7169203331-01`;
    for (const what of ['encode', 'decode'] as const)
      expect((await post(what, { ...byKey(), traceparent })).status).toBe(200);
    await stopTracing();
    expect(spans.bodies).toEqual([]);
    await spans.close();
  });

  it('is refused if it was altered or its key is missing [P23]', async () => {
    const sealed = (await (await post('encode', byKey())).json()) as Payloads;
    const [payload] = sealed.payloads;
    const bytes = Buffer.from(payload?.data ?? '', 'base64');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    const altered = { payloads: [{ ...payload, data: bytes.toString('base64') }] };
    const metadata = { ...payload?.metadata, 'encryption-key-id': base64('2025-01') };
    for (const [title, body] of [
      ['PAYLOAD_ALTERED', altered],
      ['PAYLOAD_ALTERED', { payloads: [{ ...payload, data: '' }] }],
      ['ENCRYPTION_KEY_MISSING', { payloads: [{ ...payload, metadata }] }],
      ['USAGE', { payloads: [{ metadata: { encoding: 'no base64!' } }] }],
    ] as const) {
      const refused = await post('decode', byKey(), body);
      expect([refused.ok, await refused.json()]).toEqual([false, expect.objectContaining({ title })]);
    }
    // What is in clear, as it was before, is left as it is.
    expect(await (await post('decode', byKey())).json()).toEqual(plain);
  });
});
