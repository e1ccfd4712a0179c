import path from 'node:path';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { loadConfig } from '../../src/config/load-config';
import { runRecord } from '../../src/model/run/run';
import { type RunningServer, startServer } from '../../src/serve/server';
import { builtInUsers } from '../../src/simulator/seed/users';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { keys } from '../../src/store/keys';
import { inProcess } from '../support/in-process';
import { jsonOf } from '../support/json';
import { Rehearsal } from '../support/rehearsal';

const secret = 'planted-secret-that-the-portal-also-has';
const rule = 'protect/north/everything';
const otherGroup = 'f'.repeat(32);

let rehearsal: Rehearsal;
let server: RunningServer;
let log = '';

beforeAll(async () => {
  process.env.PORTOLAN_TEST_portal = secret;
  process.env.PORTOLAN_TEST_short = 'short';
  const from = { portal: 'north', group: manyGroupId };
  rehearsal = await Rehearsal.open({
    listed: true,
    user: builtInUsers.admin,
    source: { seed: 'many', seedItems: 3 },
    target: { seed: 'empty' },
    names: { source: 'north', target: 'south' },
    portals: { protect: { everything: { groups: 'all', exclude: [otherGroup] } } },
    config: {
      serve: { address: '127.0.0.1:0', url: 'https://portolan.example.com/' },
      routes: { kept: { source: from, target: { portal: 'south', group: emptyGroupId } } },
      hooks: {
        one: { secret: { env: 'PORTOLAN_TEST_portal' }, portal: 'north', routes: ['kept'] },
        changes: { secret: { env: 'PORTOLAN_TEST_portal' }, portal: 'north', routes: ['kept', rule] },
        short: { secret: { env: 'PORTOLAN_TEST_short' }, portal: 'north', routes: ['kept'] },
      },
    },
  });
  const logger = pino({ level: 'trace' }, { write: (line) => (log += line) });
  server = await startServer(loadConfig(path.join(rehearsal.folder, 'portolan.yaml')), logger);
});
afterAll(async () => {
  await server.close();
  await rehearsal.close();
  delete process.env.PORTOLAN_TEST_portal;
  delete process.env.PORTOLAN_TEST_short;
});

interface Changed {
  readonly group?: string;
  readonly source?: string;
  readonly properties?: object;
  /** Seconds since it happened. */
  readonly ago?: number;
}
const payloadOf = ({ group = manyGroupId, source = 'group', properties = {}, ago = 0 }: Changed = {}) => {
  const when = Date.now() - ago * 1000;
  const event = { username: 'admin', userId: 'u', when, operation: 'update', source, id: group, properties };
  const info = { webhookName: 'w', webhookId: 'w1', portalURL: 'https://north.example.com/', when };
  return JSON.stringify({ info, events: [event] });
};
const sign = (text: string, key = secret): string =>
  `sha256=${createHmac('sha256', key).update(text).digest('base64')}`;

interface Answer {
  readonly status: number;
  readonly body: { readonly runs?: readonly { readonly runId: string; readonly url: string }[] };
}
async function post(hook: string, body: string, headers: Record<string, string>): Promise<Answer> {
  const answer = await fetch(`${server.url}/hooks/${hook}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}
const call = (hook: string, body: string, signature = sign(body)): Promise<Answer> =>
  post(hook, body, { 'x-esriHook-Signature': signature });

const started = async (): Promise<string[]> => {
  const listed = await inProcess(['run', 'list', '-o', 'json'], { cwd: rehearsal.folder });
  return jsonOf<{ runId: string }[]>(listed).map(({ runId }) => runId);
};
const ended = async ({ body }: Answer): Promise<void> => {
  for (const { runId } of body.runs ?? [])
    await rehearsal.over(rehearsal.temporal.client.workflow.getHandle(runId));
};

describe("a portal's webhook", () => {
  it('that is forged, replayed late, unsigned or of another kind starts nothing [P26]', async () => {
    const good = payloadOf();
    const late = payloadOf({ ago: 310 });
    const early = payloadOf({ ago: -310 });
    const form = `payload=${encodeURIComponent(good)}`;
    const answers = await Promise.all([
      call('one', good, sign(good, 'another-secret-that-the-portal-never-had')),
      call('one', good, sign(`${good} `)),
      call('one', good, `sha256=${createHmac('sha256', secret).update(good).digest('hex')}`),
      call('one', good, ''),
      call('one', late),
      call('one', early),
      call('short', good, sign(good, 'short')),
      call('nobody', good),
      call('one', '[]'),
      call('one', JSON.stringify({ events: [] })),
      post('one', good, {}),
      post('one', good, { secret: 'another-secret-that-the-portal-never-had' }),
      post('one', good, { secret, 'x-esriHook-Signature': 'sha256=forged' }),
      post('one', `${form}&x-esriHook-Signature=${encodeURIComponent(sign(late))}`, {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expect(await started()).toEqual([]);
  });

  it('that is too large starts nothing [P26]', async () => {
    expect((await call('one', payloadOf({ properties: { x: 'x'.repeat(70 * 1024) } }))).status).toBe(413);
    expect(await started()).toEqual([]);
  });

  it('of a group that no route or rule names starts nothing', async () => {
    for (const changed of [{ group: otherGroup }, { source: 'user' }, { source: 'item' }])
      expect(await call('changes', payloadOf(changed))).toEqual({ status: 200, body: { runs: [] } });
    expect(await started()).toEqual([]);
  });

  it('starts a backup of the route once, in the name of the hook, however often and in whatever form it is sent [P26]', async () => {
    const body = payloadOf();
    const first = await call('one', body);
    const runId = first.body.runs?.[0]?.runId ?? '';
    expect(first).toEqual({
      status: 202,
      body: { runs: [{ runId, url: `https://portolan.example.com/runs/${runId}` }] },
    });
    const encoded = encodeURIComponent(body);
    const signature = encodeURIComponent(sign(body));
    const again = [
      await call('one', body),
      await post('one', body, { secret }),
      await post('one', `payload=${encoded}&x-esriHook-Signature=${signature}`, {}),
      await post('one', `payload=${body}&x-esriHook-Signature=${signature}`, {}),
    ];
    expect(again).toEqual(again.map(() => ({ ...first, status: 200 })));
    await ended(first);
    expect(await call('one', body)).toEqual({ ...first, status: 200 });
    expect(await rehearsal.store.readJson(keys.record(runId), runRecord)).toMatchObject({
      kind: 'backup',
      status: 'succeeded',
      startedBy: 'hook one',
      route: { name: 'kept' },
    });
    expect(await started()).toEqual([runId]);
  });

  it('starts every route and rule that names the group, also of an item that is shared with it', async () => {
    const shared = { source: 'item', group: 'i1', properties: { sharedToGroups: [manyGroupId] } };
    const answer = await call('changes', payloadOf(shared));
    expect(answer.status).toBe(202);
    expect(answer.body.runs?.map(({ runId }) => runId.split('-')[0])).toEqual(['backup', 'protect']);
    await ended(answer);
    const listed = await inProcess(['hook', 'list', '-o', 'json'], { cwd: rehearsal.folder });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'one', direction: 'in', starts: 'backup of kept', last: {} },
      { name: 'changes', starts: `backup of kept, ${rule}`, last: { runId: answer.body.runs?.[1]?.runId } },
      { name: 'short' },
    ]);
  });

  it('can be tried by a call that is printed, and leaves its secret in no log [P15]', async () => {
    const printed = await inProcess(['hook', 'test', 'one'], { cwd: rehearsal.folder });
    const [, signature = ''] = /x-esriHook-Signature: ([^']+)'/.exec(printed.stdout) ?? [];
    const [, body = ''] = /--data-binary '([^']+)'/.exec(printed.stdout) ?? [];
    const answer = await call('one', body, signature);
    expect(answer.status).toBe(202);
    await ended(answer);
    expect(log).toContain('signature does not match');
    expect(log).not.toContain(secret);
    expect(printed.stdout).not.toContain(secret);
  });
});
