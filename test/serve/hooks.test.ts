import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { RunningServer } from '../../src/serve/server';
import { SeedBuilder } from '../../src/simulator/seed/build';
import { builtInUsers } from '../../src/simulator/seed/users';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import type { RunRecord } from '../../src/model/run/run';
import { examine } from '../../src/service/transfer/examine';
import { stopTracing } from '../../src/tracing/tracing';
import type { Notification } from '../../src/model/run/notification';
import { HookReceiver } from '../support/hook-receiver';
import { itLong } from '../support/long';
import { Site } from '../support/site';
import { SpanReceiver, traceTo } from '../support/span-receiver';
import { until } from '../support/until';
import { problem } from './a-problem';
import { typedIn } from '../support/typed-in';
import { ends, northAndSouth } from '../support/served-site';

const secrets = {
  now: `whsec_${Buffer.from('planted-secret-that-is-in-use-now').toString('base64')}`,
  next: 'planted-secret-that-comes-after-it',
  other: `whsec_${Buffer.from('planted-secret-of-quite-another-1').toString('base64')}`,
  portal: 'planted-secret-that-the-portal-also-has',
  short: 'short',
};
const rule = 'protect/north/everything';
const otherGroup = 'f'.repeat(32);
const execute = promisify(execFile);

const receiver = new HookReceiver([]);
let site: Site;
let server: RunningServer;
/** What traces that do not arrive have been told. */
let told = '';
/** All responses. */
let answers = '';

beforeAll(async () => {
  for (const [name, secret] of Object.entries(secrets)) process.env[`PORTOLAN_TEST_${name}`] = secret;
  site = await Site.open({
    ...northAndSouth,
    user: builtInUsers.admin,
    logLevel: 'trace',
    third: { name: 'live', seed: 'empty' },
    portals: { protect: { everything: { groups: 'all', exclude: [otherGroup] } } },
    config: {
      serve: { address: '127.0.0.1:0', url: 'https://portolan.example.com/' },
      routes: { free: { ...ends, approval: 'none' } },
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
        one: { secret: { env: 'PORTOLAN_TEST_portal' }, portal: 'north', routes: ['free'] },
        changes: { secret: { env: 'PORTOLAN_TEST_portal' }, portal: 'north', routes: ['free', rule] },
        short: { secret: { env: 'PORTOLAN_TEST_short' }, portal: 'north', routes: ['free'] },
      },
    },
  });
  server = await site.serve();
});
afterAll(async () => {
  await site.close();
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
  readonly body: {
    readonly runId?: string;
    readonly url?: string;
    readonly title?: string;
    readonly detail?: string;
    readonly runs?: readonly { readonly runId: string; readonly url: string }[];
  };
}
async function post(hook: string, body: string | Buffer, headers: Record<string, string>): Promise<Answer> {
  const answer = await fetch(`${server.url}/hooks/${hook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const text = await answer.text();
  answers += text;
  return { status: answer.status, body: JSON.parse(text) as Answer['body'] };
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

const call = (given: Call): Promise<Answer> => {
  const { hook = 'ci', body = '{}', sent = body, headers = {} } = given;
  return post(hook, sent, { ...signed(given), ...headers });
};

/** What a portal sends of a change of a group so many seconds ago. */
const changed = ({ group = manyGroupId, source = 'group', properties = {}, ago = 0 } = {}) => {
  const when = Date.now() - ago * 1000;
  const event = { username: 'admin', userId: 'u', when, operation: 'update', source, id: group, properties };
  const info = { webhookName: 'w', webhookId: 'w1', portalURL: 'https://north.example.com/', when };
  return JSON.stringify({ info, events: [event] });
};
const mac = (text: string, key = secrets.portal, form: 'base64' | 'hex' = 'base64') =>
  `sha256=${createHmac('sha256', key).update(text).digest(form)}`;
const fromPortal = (hook: string, body: string, signature = mac(body)): Promise<Answer> =>
  post(hook, body, { 'x-esriHook-Signature': signature });
const over = async ({ body }: Answer) => {
  for (const { runId } of body.runs ?? [{ runId: body.runId ?? '' }])
    await site.over(site.temporal.client.workflow.getHandle(runId));
};

const { run, json, expectRun } = typedIn(() => site.folder);
const started = async () => (await json<{ runId: string }[]>('run list')).map(({ runId }) => runId).sort();

describe('an incoming hook', () => {
  const body = JSON.stringify({ reason: 'merged' });
  let runId = '';

  it('does not count as a person if its target needs two, as doctor says', async () => {
    const { config } = site;
    const seen = async (asking: string, of: string) => {
      const portals = new Map(
        [...config.portals].map(([name, portal]) => {
          const policy = { ...portal.policy, twoPeople: asking === name };
          return [name, { ...portal, policy }] as const;
        }),
      );
      const { results } = await examine({ ...site, config: { ...config, portals } }, of);
      return results.flatMap(({ name, verdict, saw }) =>
        name.startsWith('hook ') ? `${name} ${verdict}: ${saw}` : [],
      );
    };
    expect(await seen('live', 'free')).toEqual([]);
    expect(await seen('south', 'free')).toEqual([
      expect.stringMatching(/^hook ci unknown: it starts sync free, but does not count as a person/),
      expect.stringMatching(/^hook broken unknown: it starts sync free/),
    ]);
    expect(await seen('live', 'transport')).toEqual([
      expect.stringMatching(
        /^hook merge unknown: it starts promotion transport\/live, .* twoPeople of live: /,
      ),
    ]);
  });

  it('starts one run per ID in its own name, with each of its secrets [P26]', async () => {
    const answer = await call({ id: 'msg_first', body });
    runId = answer.body.runId ?? '';
    const url = `https://portolan.example.com/runs/${runId}`;
    expect(answer).toEqual({ status: 202, body: { runId, url } });
    await over(answer);
    expect(await site.record(runId)).toMatchObject({
      status: 'succeeded',
      startedBy: 'hook ci',
      actions: [{ who: 'hook ci', identity: 'key', reason: 'merged' }],
      route: { name: 'free' },
    });
    for (const secret of [secrets.now, secrets.next])
      expect(await call({ id: 'msg_first', body, secret })).toMatchObject({ status: 200, body: { runId } });
    const atOnce = await Promise.all([1, 2, 3].map(() => call({ id: 'msg_at_once' })));
    expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
    const ids = new Set(atOnce.map((each) => each.body.runId));
    expect(ids.size).toBe(1);
    expect(await call({ id: 'msg_first', body: '{}' })).toMatchObject(problem(400, 'USAGE', runId));
    const listed = await until('both runs in the list', started, ({ length }) => length >= 2);
    expect(listed).toEqual([runId, ...ids].sort());
  });

  it('continues a trace only if it is signed [P26]', async () => {
    const spans = await SpanReceiver.open();
    await traceTo(spans, (words) => void (told += words));
    const within = (digit: string) => ({
      traceparent: `00-${digit.repeat(32)}-b7ad6b7169203331-01`,
      tracestate: 'v=planted',
    });
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

  it('starts nothing if it is forged, late, unknown or unsigned, in one response [P26]', async () => {
    const before = await started();
    const { 'webhook-signature': signature, ...unsigned } = signed({});
    const refused: Call[] = [
      { secret: secrets.other },
      { sent: '{"reason":"altered"}' },
      { headers: { 'webhook-id': 'msg_2' } },
      { headers: { 'webhook-timestamp': String(Number(unsigned['webhook-timestamp']) + 100) } },
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
    expect(new Set(said.map((each) => JSON.stringify(each.body))).size).toBe(1);
    expect(await started()).toEqual(before);
  });

  it('starts nothing if it asks for more than its configuration allows [P26]', async () => {
    const before = await started();
    const refused = [
      '{"reason":"x","release":"latest"}',
      '{"route":"transport"}',
      '{"reason":{"$gt":""}}',
      `{"reason":"${'x'.repeat(3_000)}"}`,
      '[]',
      'no JSON',
    ];
    const said = await Promise.all(refused.map((each, at) => call({ id: `msg_bad_${at}`, body: each })));
    expect(said.map((each) => [each.status, each.body.title])).toEqual(refused.map(() => [400, 'USAGE']));
    expect(said[0]?.body.detail).toContain('release');
    expect((await call({ id: 'msg_long', body: `"${'x'.repeat(70 * 1024)}"` })).status).toBe(413);
    expect(await started()).toEqual(before);
  });

  itLong('starts nothing if it never ends', async () => {
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

  it('promotes a release into its stage once, and receivers are notified', async () => {
    const given = { hook: 'merge', secret: secrets.other };
    expect(await call({ ...given, id: 'msg_none' })).toMatchObject(problem(409, 'PROMOTION_REFUSED'));
    await expectRun('release create transport', 0);
    const release = JSON.stringify({ release: 'latest', reason: 'merged' });
    const answer = await call({ ...given, id: 'msg_go', body: release });
    expect(answer.status).toBe(202);
    expect(await call({ ...given, id: 'msg_go', body: release })).toEqual({ ...answer, status: 200 });
    await over(answer);
    const promotion = answer.body.runId ?? '';
    expect(await site.record(promotion)).toMatchObject({
      kind: 'promotion',
      status: 'succeeded',
      startedBy: 'hook merge',
      stage: 'transport/live',
    });
    await expectRun('promote rollback transport live --yes', 0);
    const brought = { stage: 'transport/live', release: expect.stringMatching(/^transport-/) as unknown };
    expect(receiver.received.map((each) => JSON.parse(each.body) as Notification)).toMatchObject([
      { event: 'promoted', runId: promotion, ...brought },
      { event: 'rolled-back', ...brought },
    ]);
  });

  it('is called by the script in examples with curl and openssl', async () => {
    const script = path.join(__dirname, '..', '..', 'examples', 'ci', 'call-hook.sh');
    const shell = async (...args: string[]) => {
      const { stdout } = await execute('sh', [script, `${server.url}/hooks/ci`, ...args], {
        env: { ...process.env, PORTOLAN_HOOK_SECRET: secrets.now },
      });
      return JSON.parse(stdout) as Answer['body'];
    };
    const given = JSON.stringify({ reason: 'job 17, "übernommen" $HOME' });
    const first = await shell(given, '17');
    expect(await shell(given, '17')).toMatchObject({ runId: first.runId });
    expect((await shell()).runId).not.toBe(first.runId);
  });
});

describe("a portal's webhook", () => {
  it('starts nothing if it is forged, late, unsigned or too large [P26]', async () => {
    const before = await started();
    const good = changed();
    const late = changed({ ago: 310 });
    const form = `payload=${encodeURIComponent(good)}`;
    const said = await Promise.all([
      fromPortal('one', good, mac(good, secrets.other)),
      fromPortal('one', good, mac(`${good} `)),
      fromPortal('one', good, mac(good, secrets.portal, 'hex')),
      fromPortal('one', good, ''),
      fromPortal('one', late),
      fromPortal('one', changed({ ago: -310 })),
      fromPortal('short', good, mac(good, secrets.short)),
      fromPortal('nobody', good),
      fromPortal('one', '[]'),
      fromPortal('one', JSON.stringify({ events: [] })),
      post('one', good, {}),
      post('one', good, { secret: secrets.other }),
      post('one', good, { secret: secrets.portal, 'x-esriHook-Signature': 'sha256=forged' }),
      post('one', `${form}&x-esriHook-Signature=${encodeURIComponent(mac(late))}`, {}),
    ]);
    expect(said.map(({ status }) => status)).toEqual(said.map(() => 401));
    const large = changed({ properties: { x: 'x'.repeat(70 * 1024) } });
    expect((await fromPortal('one', large)).status).toBe(413);
    for (const change of [{ group: otherGroup }, { source: 'user' }, { source: 'item' }])
      expect(await fromPortal('changes', changed(change))).toEqual({ status: 200, body: { runs: [] } });
    expect(await started()).toEqual(before);
  });

  it('starts one backup per change in the name of the hook, in each form [P26]', async () => {
    const body = changed();
    const first = await fromPortal('one', body);
    const runId = first.body.runs?.[0]?.runId ?? '';
    const url = `https://portolan.example.com/runs/${runId}`;
    expect(first).toEqual({ status: 202, body: { runs: [{ runId, url }] } });
    const signature = encodeURIComponent(mac(body));
    const again = [
      await fromPortal('one', body),
      await post('one', body, { secret: secrets.portal }),
      await post('one', `payload=${encodeURIComponent(body)}&x-esriHook-Signature=${signature}`, {}),
      await post('one', `payload=${body}&x-esriHook-Signature=${signature}`, {}),
    ];
    await over(first);
    for (const each of [...again, await fromPortal('one', body)])
      expect(each).toEqual({ ...first, status: 200 });
    expect(await site.record(runId)).toMatchObject({
      kind: 'backup',
      status: 'succeeded',
      startedBy: 'hook one',
      route: { name: 'free' },
    });
  });

  it('starts each route and rule of the groups of an item, and finds a new group', async () => {
    const { world } = site.source;
    const starts = async (change: Parameters<typeof changed>[0], ...kinds: string[]) => {
      const { body } = await fromPortal('changes', changed(change));
      expect(body.runs?.map(({ runId }) => runId.split('-')[0])).toEqual(kinds);
      for (const { runId } of body.runs ?? []) runs.add(runId);
    };
    const runs = new Set<string>();
    // An edit names no group.
    const item = world.itemsIn(manyGroupId)[0]?.id;
    await starts({ source: 'item', group: item }, 'backup', 'protect');
    const shared = { sharedToGroups: [manyGroupId] };
    await starts({ source: 'item', group: 'i1', properties: shared }, 'backup', 'protect');
    const group = 'd'.repeat(32);
    new SeedBuilder(world).group(group, 'Made at noon');
    await starts({ group }, 'protect');
    for (const runId of runs) await site.over(site.temporal.client.workflow.getHandle(runId));
  });

  it('is called by the portal itself when an item changes', async () => {
    const { username, password } = builtInUsers.admin;
    const form = async (path: string, fields: object) => {
      const body = new URLSearchParams({ f: 'json', ...fields });
      const answer = await fetch(`${site.source.url}/${path}`, { method: 'POST', body });
      return (await answer.json()) as { token?: string };
    };
    const { token } = await form('generateToken', { username, password, client: 'requestip' });
    const hook = { name: 'changes', url: `${server.url}/hooks/one`, secret: secrets.portal };
    await form('portals/self/webhooks/createWebhook', { token, ...hook });
    const before = await started();
    const { id, owner } = site.source.world.itemsIn(manyGroupId)[0]!;
    await form(`content/users/${owner}/items/${id}/update`, { token, title: 'Edited' });
    const now = await until('a run', started, ({ length }) => length > before.length);
    const [runId = ''] = now.filter((each) => !before.includes(each));
    await over({ status: 202, body: { runId } });
    expect(await site.record(runId)).toMatchObject({ kind: 'backup', startedBy: 'hook one' });
    for (const each of site.source.world.webhooks.values()) site.source.world.webhooks.remove(each.id);
  });

  it('starts one backup after an open one, whatever the number of changes during it [P26]', async () => {
    const { world, faults } = site.source;
    const edit = () => {
      for (const { id } of world.itemsIn(manyGroupId)) world.items.change(id, { modified: world.now() });
    };
    edit();
    faults.add({ match: { operation: 'group.export' }, do: 'hold' });
    const first = await fromPortal('one', changed());
    const runId = first.body.runs?.[0]?.runId ?? '';
    const isHeld = (record?: RunRecord) =>
      record?.phases.some(({ name, status }) => name === 'guard' && status === 'done') ?? false;
    await until('the export', () => site.record(runId), isHeld);
    edit();
    const body = changed();
    const during = await fromPortal('one', body);
    const after = during.body.runs?.[0]?.runId ?? '';
    const indexed = () => site.temporal.client.workflow.count(`WorkflowId = '${after}'`);
    await until('the waiting backup in the index', indexed, ({ count }) => count === 1);
    const more = await fromPortal('one', changed());
    expect([during.status, more.status]).toEqual([202, 200]);
    expect(after).not.toBe(runId);
    expect(more.body).toEqual(during.body);
    faults.release();
    faults.clear();
    await over(first);
    await over(during);
    expect(await site.record(after)).toMatchObject({ status: 'succeeded', startedBy: 'hook one' });
    const [one, other] = [await site.record(runId), await site.record(after)];
    expect(Date.parse(other?.phases[1]?.startedAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(one?.finishedAt ?? ''),
    );
    const before = await started();
    expect(await fromPortal('one', body)).toEqual({ ...during, status: 200 });
    expect(await started()).toEqual(before);
  });
});

describe('hooks', () => {
  it('are listed with their last runs', async () => {
    expect(await json('hook list')).toMatchObject([
      { name: 'ci', direction: 'in', starts: 'sync free', signed: true, last: { runId: expect.any(String) } },
      { name: 'merge', starts: 'promotion transport/live' },
      { name: 'broken' },
      { name: 'one', direction: 'in', starts: 'backup of free', last: {} },
      {
        name: 'changes',
        starts: `backup of free, ${rule}`,
        last: { runId: expect.stringMatching(/^protect/) },
      },
      { name: 'short' },
      { name: 'stages', direction: 'out', last: { event: 'rolled-back', status: 'delivered' }, open: [] },
    ]);
  });

  it('are tried by a printed call', async () => {
    const ci = await expectRun('hook test ci', 0, /^curl .* 'https:\/\/portolan\.example\.com\/hooks\/ci' /);
    const { stdout } = await run('hook test one');
    const [, signature = ''] = /x-esriHook-Signature: ([^']+)'/.exec(stdout) ?? [];
    const [, body = ''] = /--data-binary '([^']+)'/.exec(stdout) ?? [];
    answers += ci.stdout + stdout;
    const answer = await fromPortal('one', body, signature);
    expect(answer.status).toBe(202);
    await over(answer);
  });

  it('leave their secrets in no response, log, record or history [P15][P26]', async () => {
    const handles = (await started()).map((id) => site.temporal.client.workflow.getHandle(id));
    const histories = await Promise.all(handles.map((handle) => handle.fetchHistory()));
    const kept: string[] = [];
    // Open runs remove what they only work with.
    for await (const key of site.store.list(''))
      if (key.endsWith('.json')) kept.push(JSON.stringify(await site.store.readJson(key, z.unknown())) ?? '');
    const worker = readFileSync(path.join(site.folder, 'logs', 'worker.log'), 'utf8');
    const all = [site.log(), told, answers, worker, JSON.stringify(histories), ...kept].join('\n');
    expect(all).toContain('hook ci');
    expect(site.log()).toContain('signature does not match');
    expect(site.log()).toContain('PORTOLAN_TEST_not_set');
    const encoded = Buffer.from('planted-secret-t').toString('base64').slice(0, 18);
    for (const planted of [secrets.now, secrets.next, secrets.other, 'planted-secret', encoded])
      expect(all).not.toContain(planted.replace('whsec_', ''));
  });
});
