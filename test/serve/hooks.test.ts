import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load-config';
import { type RunningServer, startServer } from '../../src/serve/server';
import { builtInUsers } from '../../src/simulator/seed/users';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { runRecord } from '../../src/model/run/run';
import { examine } from '../../src/service/transfer/examine';
import { keys } from '../../src/store/keys';
import { stopTracing } from '../../src/tracing/tracing';
import type { Notification } from '../../src/model/run/notification';
import { HookReceiver } from '../support/hook-receiver';
import { inProcess } from '../support/in-process';
import { jsonOf } from '../support/json';
import { itLong } from '../support/long';
import { Rehearsal } from '../support/rehearsal';
import { SpanReceiver, traceTo } from '../support/span-receiver';
import { until } from '../support/until';

const secrets = {
  now: `whsec_${Buffer.from('planted-secret-that-is-in-use-now').toString('base64')}`,
  next: 'planted-secret-that-comes-after-it',
  other: `whsec_${Buffer.from('planted-secret-of-quite-another-1').toString('base64')}`,
};
const execute = promisify(execFile);

const receiver = new HookReceiver([]);
let rehearsal: Rehearsal;
let server: RunningServer;
let log = '';
/** All that was ever answered. */
let answers = '';

beforeAll(async () => {
  for (const [name, secret] of Object.entries(secrets)) process.env[`PORTOLAN_TEST_${name}`] = secret;
  const from = { portal: 'north', group: manyGroupId };
  const into = { portal: 'south', group: emptyGroupId };
  rehearsal = await Rehearsal.open({
    listed: true,
    user: builtInUsers.admin,
    logLevel: 'trace',
    source: { seed: 'many', seedItems: 3 },
    target: { seed: 'empty' },
    third: { name: 'live', seed: 'empty' },
    names: { source: 'north', target: 'south' },
    config: {
      serve: { address: '127.0.0.1:0', url: 'https://portolan.example.com/' },
      routes: { free: { source: from, target: into, approval: 'none' } },
      pipelines: {
        transport: {
          groups: ['roads'],
          stages: {
            dev: { portal: 'north', groups: { roads: manyGroupId } },
            live: { portal: 'live', groups: { roads: emptyGroupId }, approval: 'none' },
          },
        },
      },
      notify: [{ name: 'stages', on: ['promoted', 'rolled-back'], webhook: await receiver.open() }],
      hooks: {
        ci: {
          secret: [{ env: 'PORTOLAN_TEST_now' }, { env: 'PORTOLAN_TEST_next' }],
          route: 'free',
          allow: ['reason'],
        },
        merge: {
          secret: { env: 'PORTOLAN_TEST_other' },
          pipeline: 'transport',
          stage: 'live',
          allow: ['release', 'reason'],
        },
        broken: { secret: { env: 'PORTOLAN_TEST_not_set' }, route: 'free' },
      },
    },
  });
  const logger = pino({ level: 'trace' }, { write: (line) => (log += line) });
  server = await startServer(loadConfig(path.join(rehearsal.folder, 'portolan.yaml')), logger);
});
afterAll(async () => {
  await server.close();
  await rehearsal.close();
  await receiver.close();
  for (const name of Object.keys(secrets)) delete process.env[`PORTOLAN_TEST_${name}`];
});

interface Call {
  readonly hook?: string;
  readonly id?: string;
  readonly secret?: string;
  /** What is signed. */
  readonly body?: string;
  /** What is sent. @default what is signed */
  readonly sent?: string | Buffer;
  /** Seconds that the sender's clock is ahead. */
  readonly ahead?: number;
  readonly headers?: Record<string, string>;
}
interface Answer {
  readonly status: number;
  readonly body: { runId?: string; url?: string; title?: string; detail?: string };
}

const signed = ({ id = 'msg_1', secret = secrets.now, body = '{}', ahead = 0 }: Call) => {
  const key = secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
  const at = new Date(Date.now() + ahead * 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': key.sign(id, at, body),
  };
};

async function call(given: Call): Promise<Answer> {
  const { hook = 'ci', body = '{}', sent = body, headers = {} } = given;
  const answer = await fetch(`${server.url}/hooks/${hook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed(given), ...headers },
    body: typeof sent === 'string' ? sent : new Uint8Array(sent),
  });
  const text = await answer.text();
  answers += text;
  return { status: answer.status, body: JSON.parse(text) as Answer['body'] };
}

const started = async (): Promise<string[]> => {
  const listed = await inProcess(['run', 'list', '-o', 'json'], { cwd: rehearsal.folder });
  return jsonOf<{ runId: string }[]>(listed)
    .map(({ runId }) => runId)
    .sort();
};

describe('a hook that comes in', () => {
  let runId = '';

  it('does not count as a person if its target asks for two people, which doctor says', async () => {
    const { config } = rehearsal;
    const seen = async (asking: readonly string[], of: string): Promise<string[]> => {
      const portals = new Map(
        [...config.portals].map(([name, portal]) => {
          const policy = { ...portal.policy, twoPeople: asking.includes(name) };
          return [name, { ...portal, policy }] as const;
        }),
      );
      const { results } = await examine({ ...rehearsal, config: { ...config, portals } }, of);
      return results.flatMap(({ name, verdict, saw }) =>
        name.startsWith('hook ') ? `${name} ${verdict}: ${saw}` : [],
      );
    };
    expect(await seen(['live'], 'free')).toEqual([]);
    expect(await seen(['south'], 'free')).toEqual([
      expect.stringMatching(/^hook ci unknown: it starts sync free, but does not count as a person/),
      expect.stringMatching(/^hook broken unknown: it starts sync free/),
    ]);
    expect(await seen(['live'], 'transport')).toEqual([
      expect.stringMatching(
        /^hook merge unknown: it starts promotion transport\/live, .* twoPeople of live: /,
      ),
    ]);
  });

  it('starts the sync that it is there for, in its own name, and says which run that is', async () => {
    const body = JSON.stringify({ reason: 'merged' });
    const answer = await call({ id: 'msg_first', body });
    runId = answer.body.runId ?? '';
    expect(answer).toEqual({
      status: 202,
      body: { runId, url: `https://portolan.example.com/runs/${runId}` },
    });
    await rehearsal.over(rehearsal.temporal.client.workflow.getHandle(runId));
    expect(await rehearsal.store.readJson(keys.record(runId), runRecord)).toMatchObject({
      status: 'succeeded',
      startedBy: 'hook ci',
      actions: [{ who: 'hook ci', reason: 'merged' }],
      route: { name: 'free' },
    });
    expect(
      JSON.stringify(await rehearsal.store.readJson(keys.start(runId), runRecord.loose().partial())),
    ).toContain('"identity":"key"');
  });

  it('starts one run for each id, however often it is called: at once, again, and signed anew with the secret that comes next [P26]', async () => {
    const body = JSON.stringify({ reason: 'merged' });
    for (const secret of [secrets.now, secrets.next])
      expect(await call({ id: 'msg_first', body, secret })).toMatchObject({ status: 200, body: { runId } });
    const both = await Promise.all([1, 2, 3].map(() => call({ id: 'msg_at_once' })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
    expect(new Set(both.map((each) => each.body.runId)).size).toBe(1);
    const other = await call({ id: 'msg_first', body: JSON.stringify({ reason: 'something else' }) });
    expect(other).toMatchObject({ status: 400, body: { title: 'USAGE' } });
    expect(other.body.detail).toContain(runId);
    const ids = await until('both runs in the list', started, ({ length }) => length >= 2);
    expect(ids).toEqual([runId, both[0]?.body.runId].sort());
  });

  it('goes on with the trace of whoever has signed it, and nobody else writes into one [P26]', async () => {
    const spans = await SpanReceiver.open();
    await traceTo(spans, (words) => void (log += words));
    const within = (digit: string) => ({
      traceparent: `00-${digit.repeat(32)}-b7ad6b7169203331-01`,
      tracestate: 'v=planted',
    });
    const body = JSON.stringify({ reason: 'merged' });
    const forged = await call({ id: 'msg_first', body, secret: secrets.other, headers: within('a') });
    const unknown = await fetch(`${server.url}/nowhere`, { method: 'POST', headers: within('b') });
    const known = await call({ id: 'msg_first', body, headers: within('c') });
    expect([forged.status, unknown.status, known.status]).toEqual([401, 404, 200]);
    await stopTracing();
    expect(spans.spans.map(({ name, traceId }) => [name, traceId])).toEqual([
      ['POST /hooks/:name', 'c'.repeat(32)],
    ]);
    expect(spans.bodies.join()).not.toContain('planted');
    await spans.close();
  });

  it('starts nothing where it is forged, altered, late, early, unknown or unsigned, and says the same of all of these [P26]', async () => {
    const before = await started();
    const { 'webhook-signature': signature, ...unsigned } = signed({});
    const refused: Call[] = [
      { secret: secrets.other },
      { sent: '{"reason":"altered"}' },
      { headers: { 'webhook-id': 'msg_2' } },
      { headers: { 'webhook-timestamp': String(Number(unsigned['webhook-timestamp']) + 1) } },
      { ahead: -310 },
      { ahead: 310 },
      { hook: 'nobody' },
      { hook: 'merge' },
      { hook: 'constructor' },
      { hook: 'broken' },
      { headers: { 'webhook-signature': '' } },
      { headers: { 'webhook-signature': signature.replace('v1,', 'v1a,') } },
      { headers: { 'webhook-signature': 'v1' } },
      { headers: { 'webhook-id': '', 'webhook-timestamp': 'now' } },
      { sent: Buffer.from([0x7b, 0xff, 0x7d]) },
    ];
    const said = await Promise.all(refused.map(call));
    expect(said.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(new Set(said.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await started()).toEqual(before);
  });

  it('starts nothing where it is signed and says what it may not or is too long [P26]', async () => {
    const before = await started();
    const refused = [
      { body: JSON.stringify({ reason: 'x', release: 'latest' }) },
      { body: JSON.stringify({ route: 'transport' }) },
      { body: JSON.stringify({ reason: { $gt: '' } }) },
      { body: JSON.stringify({ reason: 'x'.repeat(3_000) }) },
      { body: '[]' },
      { body: 'no JSON' },
    ];
    const said = await Promise.all(refused.map((each, index) => call({ id: `msg_bad_${index}`, ...each })));
    expect(said.map(({ status, body }) => [status, body.title])).toEqual(refused.map(() => [400, 'USAGE']));
    expect(said[0]?.body.detail).toContain('release');
    expect((await call({ id: 'msg_long', body: `"${'x'.repeat(70 * 1024)}"` })).status).toBe(413);
    expect(await started()).toEqual(before);
  });

  itLong('starts nothing where it never comes to its end', async () => {
    const before = await started();
    const { host, hostname, port } = new URL(server.url);
    const words = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let heard = '';
      socket.on('data', (piece: Buffer) => (heard += piece.toString()));
      socket.once('close', () => resolve(heard)).once('error', reject);
      const headers = Object.entries({ ...signed({ id: 'msg_slow' }), host, 'content-length': '2' });
      socket.write(
        `POST /hooks/ci HTTP/1.1\r\n${headers.map((each) => each.join(': ')).join('\r\n')}\r\n\r\n{`,
      );
    });
    expect(words).toMatch(/^HTTP\/1.1 408 /);
    expect(await started()).toEqual(before);
  });

  it('brings a release into the stage that it is there for, and says why one may not go there', async () => {
    const refused = await call({ hook: 'merge', id: 'msg_none', secret: secrets.other });
    expect(refused).toMatchObject({ status: 409, body: { title: 'PROMOTION_REFUSED' } });
    const made = await inProcess(['release', 'create', 'transport', '-o', 'json'], { cwd: rehearsal.folder });
    expect(made.status).toBe(0);
    const body = JSON.stringify({ release: 'latest', reason: 'merged' });
    const answer = await call({ hook: 'merge', id: 'msg_go', secret: secrets.other, body });
    expect(answer.status).toBe(202);
    const again = await call({ hook: 'merge', id: 'msg_go', secret: secrets.other, body });
    expect(again).toEqual({ ...answer, status: 200 });
    const promotion = answer.body.runId ?? '';
    await rehearsal.over(rehearsal.temporal.client.workflow.getHandle(promotion));
    const was = await rehearsal.store.readJson(keys.record(promotion), runRecord);
    expect(was).toMatchObject({
      kind: 'promotion',
      status: 'succeeded',
      startedBy: 'hook merge',
      stage: 'transport/live',
    });
    const back = await inProcess(['promote', 'rollback', 'transport', 'live', '--yes'], {
      cwd: rehearsal.folder,
    });
    expect(back.status).toBe(0);
    const told = receiver.received.map(({ body }) => JSON.parse(body) as Notification);
    const brought = { stage: 'transport/live', release: expect.stringMatching(/^transport-/) };
    expect(told).toMatchObject([
      { event: 'promoted', runId: promotion, ...brought },
      { event: 'rolled-back', ...brought },
    ]);
  });

  it('is called from a shell with curl and openssl, by the script that is there to be copied', async () => {
    const shell = async (...args: string[]): Promise<Answer['body']> => {
      const script = path.join(__dirname, '..', '..', 'examples', 'ci', 'call-hook.sh');
      const { stdout } = await execute('sh', [script, `${server.url}/hooks/ci`, ...args], {
        env: { ...process.env, PORTOLAN_HOOK_SECRET: secrets.now },
      });
      return JSON.parse(stdout) as Answer['body'];
    };
    const body = JSON.stringify({ reason: 'job 17, "übernommen" $HOME' });
    const { runId } = await shell(body, '17');
    expect(await shell(body, '17')).toMatchObject({ runId });
    expect((await shell()).runId).not.toBe(runId);
  });

  it('is listed with its last run, and printed as a signed call that a shell makes', async () => {
    const listed = await inProcess(['hook', 'list', '-o', 'json'], { cwd: rehearsal.folder });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'ci', direction: 'in', starts: 'sync free', signed: true, last: { runId: expect.any(String) } },
      { name: 'merge', starts: 'promotion transport/live' },
      { name: 'broken' },
      { name: 'stages', direction: 'out', last: { event: 'rolled-back', status: 'delivered' }, open: [] },
    ]);
    const printed = await inProcess(['hook', 'test', 'ci'], { cwd: rehearsal.folder });
    expect(printed.stdout).toMatch(/^curl .* 'https:\/\/portolan\.example\.com\/hooks\/ci' /);
  });

  it('leaves its secrets in no answer, log, record or history [P15][P26]', async () => {
    const handles = (await started()).map((id) => rehearsal.temporal.client.workflow.getHandle(id));
    const histories = await Promise.all(handles.map((handle) => handle.fetchHistory()));
    const kept: string[] = [];
    // Runs that go on take away what they only worked with: what is gone by its turn is kept nowhere.
    for await (const key of rehearsal.store.list(''))
      if (key.endsWith('.json'))
        kept.push(JSON.stringify(await rehearsal.store.readJson(key, z.unknown())) ?? '');
    const worker = readFileSync(path.join(rehearsal.folder, 'logs', 'worker.log'), 'utf8');
    const all = [log, answers, worker, JSON.stringify(histories), ...kept].join('\n');
    expect(all).toContain('hook ci');
    expect(log).toContain('signature does not match');
    expect(log).toContain('PORTOLAN_TEST_not_set');
    for (const planted of [
      ...Object.values(secrets),
      'planted-secret',
      Buffer.from('planted-secret-t').toString('base64').slice(0, 18),
    ])
      expect(all).not.toContain(planted.replace('whsec_', ''));
  });
});
