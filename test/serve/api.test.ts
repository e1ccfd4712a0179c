import { request as httpRequest, type RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import OpenAPIClientAxios from 'openapi-client-axios';
import pino from 'pino';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { contract, type OperationId } from '../../src/contract/contract';
import type { Operation } from '../../src/contract/operation';
import { PortolanError } from '../../src/model/errors/errors';
import { rights } from '../../src/model/rights';
import type { RunRecord } from '../../src/model/run/run';
import { scheduleId } from '../../src/model/run/run-id';
import { hashOfKey } from '../../src/serve/access';
import { type RunningServer, startServer } from '../../src/serve/server';
import { Sources } from '../../src/serve/sources';
import { call } from '../../src/service/call';
import { handlers } from '../../src/service/handlers';
import { May } from '../../src/service/may';
import { readLastSuccesses } from '../../src/service/metrics/last-successes';
import type { ReadContext } from '../../src/service/run/run-sources';
import { whoTypes } from '../../src/service/run/who';
import { findSchedule } from '../../src/service/schedule/server-schedules';
import { triggerSchedule } from '../../src/service/schedule/trigger-schedule';
import { auditPage } from '../../src/service/status/audit';
import { readStatus } from '../../src/service/status/read-status';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { LocalStore } from '../../src/store/local/local-store';
import { Line } from '../support/line';
import { scheduledTask } from '../support/scheduled-task';
import { openServedSite } from '../support/served-site';
import type { Site } from '../support/site';
import { until } from '../support/until';
import { problem } from './a-problem';
import { typedIn } from '../support/typed-in';

const granted = {
  viewer: { rights: ['view'] },
  starter: { rights: ['start'] },
  operator: { rights: ['operate'] },
  approver: { rights: ['approve'] },
  both: { rights: ['start', 'approve'] },
  limited: { rights, routes: ['free'], pipelines: [] },
} as const;
type Key = keyof typeof granted;
const keyOf = (name: Key) => `planted-key-of-${name}`;
const bearer = (name: Key) => ({ authorization: `Bearer ${keyOf(name)}` });
const silent = pino({ level: 'silent' });

let site: Site;
let server: RunningServer;
/** The configuration as the server has it. */
let config: Config;
/** Runs of the route `asks`: one has created items, one has overwritten them, one waits for approval. */
let creator: string;
let ended: string;
let waiting: RunRecord;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}
async function fetched(url: string, headers: Record<string, string>, body?: object): Promise<Answer> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const json = (await answer.json()) as Answer['body'];
  return { status: answer.status, headers: answer.headers, body: json };
}
/** The answer once the caller may ask again: some tests alone send more than a second allows. */
const answered = (url: string, headers: Record<string, string>, body?: object): Promise<Answer> =>
  until(
    `an answer of ${url}`,
    () => fetched(url, headers, body),
    (answer) => answer.body['hint'] !== 'Ask less often.',
  );
const get = (where: string, as: Key = 'viewer', at = server): Promise<Answer> =>
  answered(`${at.url}${where}`, bearer(as));
const post = (as: Key, where: string, body: object = {}, headers = {}): Promise<Answer> =>
  answered(`${server.url}/api/v1${where}`, { ...bearer(as), ...headers }, body);
const { json: typed } = typedIn(() => site.folder);

const reached = async (runId: string, ...statuses: RunRecord['status'][]): Promise<RunRecord> => {
  await until(
    `${runId} to be ${statuses.join(' or ')}`,
    () => site.record(runId),
    (record) => record !== undefined && statuses.includes(record.status),
  );
  return (await get(`/api/v1/runs/${runId}`)).body as unknown as RunRecord;
};
async function startedSync(as: Key, options: object = {}): Promise<RunRecord> {
  site.editSource();
  const { body } = await post(as, '/syncs', { route: 'asks', full: true, ...options });
  return await reached(String(body['runId']), 'waiting');
}
/** Uses another server for a while. */
async function withServer(changed: Partial<Config>, work: (other: RunningServer) => Promise<void>) {
  const other = await startServer({ ...config, ...changed }, silent);
  try {
    await work(other);
  } finally {
    await other.close();
  }
}

beforeAll(async () => {
  const keys = Object.entries(granted).map(([name, key]) => [
    name,
    { sha256: hashOfKey(keyOf(name as Key)), ...key },
  ]);
  const drill = { portal: 'south', group: 'd0000000000000000000000000000077' };
  site = await openServedSite({
    serve: { url: 'https://portolan.example.com', keys: Object.fromEntries(keys) },
    asks: { approval: 'required', backup: { drill } },
    schedules: { weekly: { kind: 'sync', route: 'asks', cron: '30 3 * * 0', paused: true } },
    portals: { policy: { twoPeople: true } },
  });
  ({ server } = site);
  config = loadConfig(`${site.folder}/portolan.yaml`);
  await typed('schedule apply --yes');
  await typed('release create transport');
  for (const route of ['asks', 'asks', 'free']) await typed(`backup create ${route} --full`);
  const { runId, plan } = await startedSync('starter');
  await post('approver', `/runs/${runId}/approve`, { plan: plan?.hash });
  await reached(runId, 'succeeded');
  creator = runId;
});
afterAll(() => site.close());
// The server takes fifty requests a second, and these tests send more.
beforeEach(async () => {
  const left = async () => (await fetch(`${server.url}/healthz`)).headers.get('x-ratelimit-remaining');
  await until('requests to be allowed', left, (remaining) => Number(remaining) > 30);
});

/** The events of a stream, until it ends. */
async function* eventsOf(where: string): AsyncGenerator<{ event: string; data: { record?: RunRecord } }> {
  const { body } = await fetch(`${server.url}/api/v1${where}`, { headers: bearer('viewer') });
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event = '', data = '{}'] = /^id: .*\nevent: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (event !== '') yield { event, data: JSON.parse(data) as { record?: RunRecord } };
    }
  }
}

describe('a run over HTTP', () => {
  it('removes what another run created only after an approval [P13]', async () => {
    const { body } = await post('starter', `/runs/${creator}/rollback`, { deleteCreated: 'south' });
    const run = String(body['runId']);
    const { plan } = await reached(run, 'waiting');
    expect(plan).toMatchObject({ create: 0, overwrite: 0, remove: expect.any(Number) });
    expect((await post('starter', `/runs/${run}/approve`, { plan: plan?.hash })).status).toBe(403);
    await post('approver', `/runs/${run}/reject`, { plan: plan?.hash, reason: 'we use them' });
    expect(await reached(run, 'cancelled')).toMatchObject({ target: 'untouched' });
  });

  it('starts once per key, waits for a second person and is watched to its end [P13][P25]', async () => {
    const { body: definition } = await get('/api/v1/openapi.json');
    const client = await new OpenAPIClientAxios({
      definition: definition as never,
      withServer: { url: server.url },
    }).init();
    site.editSource();
    const once = { 'idempotency-key': 'the-winter-release' };
    const asked = { route: 'asks', reason: 'road closures', full: true };
    const first = await client['startSync']?.(once, asked, { headers: bearer('both') });
    const { runId } = first?.data as { runId: string };
    const location = `/api/v1/runs/${runId}`;
    expect(first).toMatchObject({ status: 202, headers: { location }, data: { isNew: true } });
    const again = await post('both', '/syncs', asked, once);
    expect(again).toMatchObject({ status: 200, body: { runId, isNew: false, route: { name: 'asks' } } });
    expect(again.headers.get('location')).toBe(location);
    expect(await post('both', '/syncs', { ...asked, full: false }, once)).toMatchObject(
      problem(400, 'USAGE', 'with other options'),
    );

    const plan = (await reached(runId, 'waiting')).plan?.hash;
    for (const [as, deed, body, detail] of [
      ['approver', 'reject', { plan: 'abcdef' }, 'not abcdef'],
      ['approver', 'approve', { plan: 'abcdef' }, String(plan)],
      ['both', 'approve', { plan }, 'requires a second approver'],
      ['both', 'approve', { plan }, 'requires a second approver'],
    ] as const)
      expect([detail, await post(as, `/runs/${runId}/${deed}`, body)]).toMatchObject([
        detail,
        problem(400, 'USAGE', detail),
      ]);
    const seen: string[] = [];
    for await (const { event, data } of eventsOf(`/runs/${runId}/live`)) {
      seen.push(event === 'run' ? String(data.record?.status) : event);
      if (seen.length > 1) continue;
      const approval = { plan, reason: 'looks right' };
      const approved = await client['approveRun']?.({ run: runId }, approval, {
        headers: bearer('approver'),
      });
      expect(approved?.data).toMatchObject({ runId, approved: plan, taken: true });
    }
    expect([seen[0], ...seen.slice(-2)]).toEqual(['waiting', 'succeeded', 'over']);
    const { actions, startedBy } = await reached(runId, 'succeeded');
    expect(startedBy).toBe('both');
    expect(actions).toMatchObject([
      { who: 'both', identity: 'key', what: 'start', reason: 'road closures' },
      { who: 'approver', identity: 'key', what: 'approve', reason: 'looks right' },
    ]);
    expect(await post('approver', `/runs/${runId}/approve`, { plan })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('has ended') },
    });
    ended = runId;
    waiting = await startedSync('starter');
  });

  it.each<[string, object, number, string]>([
    ['/syncs', {}, 400, 'USAGE'],
    ['/syncs', { route: 'asks', from: 'north' }, 400, 'USAGE'],
    ['/syncs', { route: 'asks', startedBy: 'root' }, 400, 'USAGE'],
    ['/syncs', { route: 'asks', items: ['../x'] }, 400, 'USAGE'],
    ['/syncs', { route: 'nothing' }, 404, 'ROUTE_NOT_FOUND'],
    ['/syncs', { route: 'asks', reason: 'x'.repeat(600_000) }, 413, 'USAGE'],
    ['/restores', { snapshot: 'nothing', to: 'south', into: emptyGroupId }, 404, 'SNAPSHOT_NOT_FOUND'],
    ['/promotions', { pipeline: 'nothing', stage: 'x' }, 404, 'PIPELINE_NOT_FOUND'],
  ])('is not started by POST %s with a wrong body %#', async (where, body, status, title) => {
    expect(await post('starter', where, body)).toMatchObject(problem(status, title));
  });
});

interface Described {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
}

describe('the API', () => {
  it('gives long lists page by page', async () => {
    const plan = `runs/${waiting.runId}/plan`;
    for (const [list, field, id] of [
      ['runs', 'runs', 'runId'],
      ['snapshots', 'snapshots', 'id'],
      [plan, 'rows', 'itemId'],
    ] as const) {
      const idsOf = ({ body }: Answer) => (body[field] as Record<string, unknown>[]).map((row) => row[id]);
      const found: unknown[] = [];
      for (let cursor: unknown = ''; cursor !== undefined;) {
        const page = await get(`/api/v1/${list}?limit=1${String(cursor)}`);
        expect(idsOf(page).length).toBeLessThan(2);
        found.push(...idsOf(page));
        const { next } = page.body;
        cursor = next && `&cursor=${encodeURIComponent(String(next))}`;
      }
      expect(found.length).toBeGreaterThan(2);
      expect(found).toEqual(idsOf(await get(`/api/v1/${list}`)));
    }
    expect((await get(`/api/v1/${plan}?search=count%202`)).body).toMatchObject({
      rows: [{ title: 'Count 2' }],
      total: 1,
    });
  });

  it.each<[string, number, string, object?]>([
    ['/api/v1/runs/nothing-like-it', 404, 'RUN_NOT_FOUND'],
    ['/api/v1/runs/..%2f..%2fetc', 404, 'RUN_NOT_FOUND'],
    ['/api/v1/runs?cursor=x', 400, 'USAGE'],
    ['/api/v1/snapshots?cursor=7', 400, 'USAGE'],
    ['/api/v1/status?limit=1', 400, 'USAGE'],
    ['/api/v1/runs?limt=1', 400, 'USAGE', { detail: expect.stringContaining('did you mean "limit"?') }],
    [
      '/api/v1/runs?limit=0&status=odd',
      400,
      'USAGE',
      {
        errors: ['/limit', '/status'].map((pointer) =>
          expect.objectContaining({ in: 'querystring', pointer }),
        ),
      },
    ],
    ['/api/v1/pipelines/nothing', 404, 'PIPELINE_NOT_FOUND'],
    ['/api/v1/nothing', 404, 'NOT_FOUND'],
    ['/nothing', 404, 'NOT_FOUND'],
  ])('answers %s with a problem', async (where, status, title, more = {}) => {
    const { headers, body } = await get(where);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(body).toMatchObject({
      type: `urn:portolan:error:${title}`,
      title,
      status,
      hint: expect.any(String),
      ...more,
    });
  });

  it.each([
    ['DELETE', '/api/v1/runs', 'GET, HEAD'],
    ['GET', '/api/v1/runs/any/approve', 'POST'],
    ['POST', '/api/v1/runs/any?x=1', 'GET, HEAD'],
  ])('refuses %s %s and names the methods that it has', async (method, where, allow) => {
    const answer = await fetch(`${server.url}${where}`, { method, headers: bearer('viewer') });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toMatchObject({ title: 'METHOD_NOT_ALLOWED' });
  });

  it('has the same status while nothing changes', async () => {
    const free = config.routes.get('free')!;
    const backup = { ...free.backup, maxAgeMs: 86_400_000 };
    const sources = new Sources({ ...config, routes: new Map([['free', { ...free, backup }]]) });
    const looks = [await sources.readable(readStatus), await sources.readable(readStatus)];
    await sources.close();
    expect(looks[1]).toEqual(looks[0]);
    expect(looks[0]).toMatchObject({ backedUp: { routes: 1, oldestAt: expect.any(String) } });
  });

  it('is described by valid OpenAPI with a schema for each answer', async () => {
    const { body } = await get('/api/v1/openapi.json');
    // Shared schemas are in it once.
    expect(JSON.stringify(body).length).toBeLessThan(2.4 * 1024 * Object.keys(contract).length);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://portolan.example.com' }] });
    expect(await validate(structuredClone(body) as never)).toMatchObject({ valid: true });
    const paths = Object.values(body['paths'] as Record<string, Record<string, Described>>);
    const operations = paths.flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.sort()).toEqual(Object.keys(contract).sort());
    for (const { operationId, responses, description, parameters } of operations) {
      const starts = 'starts' in contract[operationId as OperationId];
      const statuses = [starts ? '202' : expect.stringMatching(/^20/), 'default'];
      expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(statuses)]);
      if (!starts) continue;
      const key = expect.objectContaining({ in: 'header', name: 'idempotency-key' }) as unknown;
      expect([operationId, parameters]).toEqual([operationId, expect.arrayContaining([key])]);
      expect(description).toContain('Idempotency-Key');
    }
  });
});

/** Each operation that changes something, with what it is asked to change. */
const samples = (): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const { runId: run, plan } = waiting;
  const reason = 'a test of rights';
  const document = { portal: 'south', kind: 'settings', content: {} };
  const item = [...site.source.world.items.values()][0]?.id;
  return {
    applySchedules: {},
    approveRun: { run, plan: plan?.hash },
    cancelRun: { run },
    changeDocument: document,
    createRelease: { pipeline: 'transport' },
    diffDocument: document,
    examine: { name: 'asks' },
    forgetRelease: { release: 'latest:transport' },
    forgetSnapshots: { route: 'asks', keep: { last: 1 } },
    freeze: { portal: 'transport/live', reason },
    lookAtChange: document,
    pauseSchedule: { schedule: 'weekly', reason },
    blockRelease: { release: 'latest:transport', reason },
    pinRelease: { release: 'latest:transport' },
    pinSnapshot: { snapshot: 'latest:asks' },
    rejectRun: { run, reason },
    releaseSlot: { portal: 'north', direction: 'export', run, reason },
    restartRun: { run: ended, from: 'guard' },
    restoreItem: { item, at: 'latest:asks' },
    resumeRun: { run },
    resumeSchedule: { schedule: 'weekly' },
    retryRun: { run: ended },
    rollBackRun: { run: ended },
    rollBackStage: { pipeline: 'transport', stage: 'live' },
    startBackup: { route: 'asks' },
    startDrill: { route: 'asks' },
    startPromotion: { pipeline: 'transport', stage: 'live', release: 'latest:transport' },
    startProtect: { rule: 'official' },
    startRestore: { snapshot: 'latest:asks', to: 'south', into: emptyGroupId },
    startSync: { route: 'asks' },
    testReceiver: { hook: 'any' },
    triggerSchedule: { schedule: 'weekly' },
    unfreeze: { portal: 'north' },
    unblockRelease: { release: 'latest:transport' },
    unpinRelease: { release: 'latest:transport' },
    unpinSnapshot: { snapshot: 'latest:asks' },
    updateTaskRun: { portal: 'south', username: 'owner', taskId: 'any', status: 'failed' },
    verifySnapshots: { route: 'asks' },
  };
};

/** The path with the values of its parameters, and the other values. */
function addressed(at: string, sample: Readonly<Record<string, unknown>>): [string, object] {
  const body = { ...sample };
  const where = at.slice('POST '.length).replace(/:(\w+)/g, (_, name: string) => {
    delete body[name];
    return encodeURIComponent(String(sample[name]));
  });
  return [where, body];
}

describe('a key', () => {
  const missing = problem(403, 'RIGHT_MISSING');

  it('is needed, and is in no answer and no log [P15][P25]', async () => {
    const key = keyOf('viewer');
    for (const headers of [
      {},
      { authorization: 'Bearer another' },
      { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` },
      { authorization: `Bearer ${key} ${key}` },
    ] as Record<string, string>[])
      for (const where of ['/api/v1/status', '/api/v1/openapi.json', '/metrics']) {
        const answer = await answered(`${server.url}${where}`, headers);
        expect([where, answer]).toMatchObject([where, problem(401, 'KEY_REFUSED')]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(JSON.stringify(answer.body)).not.toContain(key);
      }
    expect(site.log()).not.toContain('planted-key');
  });

  const changing = (Object.entries(contract) as [OperationId, Operation][]).filter(([, { at }]) =>
    at.startsWith('POST'),
  );
  it.each(changing)('may not use %s with view rights or for other routes [P25]', async (id, { at }) => {
    const sample = samples()[id];
    if (sample === undefined) throw new Error(`add a sample of ${id} that belongs to asks or transport`);
    const [where, body] = addressed(at, sample);
    for (const as of ['limited', 'viewer'] as const)
      expect([as, await post(as, where, body)]).toMatchObject([as, missing]);
  });

  it('does nothing that needs another right [P13][P25]', async () => {
    const run = `/runs/${waiting.runId}`;
    const refused: [Key, string, object][] = [
      ['approver', '/syncs', { route: 'free' }],
      ['operator', '/backups', { route: 'free' }],
      ['starter', `${run}/approve`, { plan: waiting.plan?.hash }],
      ['operator', `${run}/reject`, {}],
      ['starter', `${run}/cancel`, {}],
      ['starter', `${run}/retry`, { bisect: true }],
      ['starter', `/runs/${ended}/rollback`, { deleteCreated: 'south', yes: true }],
      ['starter', '/syncs', { route: 'free', yes: true }],
      ['starter', '/syncs', { route: 'free', scheduledBy: 'nightly' }],
      ['starter', ...addressed(contract.changeDocument.at, samples()['changeDocument']!)],
      ['starter', ...addressed(contract.updateTaskRun.at, samples()['updateTaskRun']!)],
      ['starter', '/snapshots/latest/pin', {}],
      ['starter', '/snapshots/forget', { route: 'free', keep: { last: 1 } }],
      ['starter', '/doctor', {}],
      ['approver', '/schedules/apply', {}],
      ['limited', '/syncs', { from: 'north', group: manyGroupId, to: 'south', into: emptyGroupId }],
      ['limited', '/restores', { snapshot: 'latest:free', to: 'south', into: manyGroupId }],
      // What belongs to no route or pipeline cannot be changed.
      ['limited', '/freeze', { portal: 'north', reason: 'x' }],
      ['limited', '/doctor', {}],
    ];
    for (const [as, where, body] of refused)
      expect([as, where, await post(as, where, body)]).toMatchObject([as, where, missing]);
    const task = scheduledTask(site.target);
    const taskRun = { portal: 'south', username: 'owner', taskId: task.id };
    expect(await post('starter', '/syncs', { route: 'asks', taskRun, yes: true })).toMatchObject(missing);
    expect(task.posts()).toBe(0);
    expect(await reached(waiting.runId, 'waiting')).toMatchObject({ actions: [{ what: 'start' }] });
    // Its own routes it may change.
    expect((await post('limited', '/snapshots/latest:free/pin', { reason: 'own' })).body).toMatchObject({
      pin: { who: 'limited', reason: 'own' },
    });
    expect((await post('limited', '/doctor', { name: 'free' })).body).toMatchObject({ of: 'route' });
  });

  it('looks with view rights, and forgets only what was looked at', async () => {
    const look = { route: 'asks', keep: { last: 1 }, dryRun: true };
    const { status, body } = await post('viewer', '/snapshots/forget', look);
    expect([status, body]).toMatchObject([200, { dryRun: true, seen: expect.any(String) }]);
    expect(body).not.toHaveProperty('result');
    expect(
      await post('operator', '/snapshots/forget', { ...look, dryRun: false, seen: 'another' }),
    ).toMatchObject(problem(409, 'PLAN_CHANGED'));
  });
});

describe('a handler that changes something without asking who may [P25]', () => {
  const caller = { who: 'all', identity: 'key', rights } as const;
  const refused = (id: OperationId) => `${id} changes something and does not ask who may`;
  let sources: Sources;
  beforeAll(() => {
    sources = new Sources(config);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => sources.close());

  it('is refused', async () => {
    jest.spyOn(handlers, 'unfreeze').mockResolvedValue({ portal: 'north', frozen: false });
    await expect(call('unfreeze', { portal: 'north' }, sources, { caller })).rejects.toThrow(
      refused('unfreeze'),
    );
  });

  it('is stopped before it writes into the store', async () => {
    jest.spyOn(handlers, 'unfreeze').mockImplementation(async (context) => {
      await context.store.writeJson('careless.json', {});
      return { portal: 'north', frozen: false };
    });
    await expect(call('unfreeze', { portal: 'north' }, sources, { caller })).rejects.toThrow(
      refused('unfreeze'),
    );
    expect(await site.store.names('')).not.toContain('careless.json');
  });

  it('is stopped before it ends a run', async () => {
    const { runId } = waiting;
    jest.spyOn(handlers, 'cancelRun').mockImplementation(async ({ temporal }) => {
      await temporal.client.workflow.getHandle(runId).terminate('careless');
      return { runId, record: waiting, cancelled: true, now: true, taken: true };
    });
    // Temporal's client wraps what was thrown.
    await expect(call('cancelRun', { run: runId }, sources, { caller })).rejects.toMatchObject({
      cause: new TypeError(refused('cancelRun')),
    });
    await reached(runId, 'waiting');
  });
});

describe('a schedule over HTTP', () => {
  it('is paused, resumed and triggered, and the audit says by whom', async () => {
    const pause = (reason: string) => post('operator', '/schedules/nightly/pause', { reason });
    const why = 'größer '.repeat(285);
    expect(await pause(why.padEnd(2_001, '.'))).toMatchObject({ status: 400 });
    expect(await pause(why)).toMatchObject({
      status: 200,
      body: { paused: true, note: expect.stringMatching(/^paused by operator: größer .*…$/) },
    });
    expect((await post('operator', '/schedules/nightly/resume')).body).toMatchObject({ paused: false });
    const triggered = await post('starter', '/schedules/nightly/trigger');
    expect(triggered.status).toBe(202);
    await reached(String(triggered.body['runId']), 'succeeded', 'nothing-to-do');
    const { entries } = await auditPage(site, { limit: 100 });
    const done = entries.filter(({ of }) => of === 'schedule nightly');
    expect(done.map(({ what, who, identity, reason }) => [what, who, identity, reason])).toEqual([
      ['trigger', 'starter', 'key', undefined],
      ['resume', 'operator', 'key', undefined],
      ['pause', 'operator', 'key', why],
    ]);
  });

  it('is not triggered by a key limited to the route of the file if it starts another', async () => {
    const handle = site.temporal.client.schedule.getHandle(scheduleId(config.temporal.taskQueue, 'nightly'));
    const { action } = await handle.describe();
    const [input] = action.args as [{ route: object }];
    const other = { ...action, args: [{ ...input, route: { ...input.route, name: 'asks' } }] };
    await handle.update((before) => ({ ...before, action: other }));
    for (const [what, body] of Object.entries({ trigger: {}, resume: {}, pause: { reason: 'x' } }))
      expect([what, await post('limited', `/schedules/nightly/${what}`, body)]).toMatchObject([
        what,
        problem(403, 'RIGHT_MISSING'),
      ]);
    await handle.update((before) => ({ ...before, action }));
    expect((await post('limited', '/schedules/nightly/resume')).status).toBe(200);
  });

  it('is not triggered by a person if its target needs two [P13]', async () => {
    expect(await post('both', '/schedules/weekly/trigger')).toMatchObject({
      body: { title: 'POLICY_REFUSED', hint: expect.stringContaining('portolan sync asks') },
    });
    const weekly = await findSchedule(site.temporal, config, 'weekly');
    const south = config.portals.get('south')!;
    const policy = { ...south.policy, twoPeople: false };
    for (const changed of [
      // The schedule is no longer in the file.
      { schedules: new Map([...config.schedules].filter(([name]) => name !== 'weekly')) },
      // Another name of the same portal needs two people.
      {
        portals: new Map([
          ...config.portals,
          ['south', { ...south, policy }],
          ['public', { ...south, name: 'public' }],
        ]),
      },
    ]) {
      const may = new May({ ...whoTypes(), rights });
      const sources = { ...site, config: { ...config, ...changed }, may };
      await expect(triggerSchedule(sources, weekly, undefined)).rejects.toMatchObject({
        code: 'POLICY_REFUSED',
      });
    }
  });
});

it('a slot over HTTP is freed only if its run has held it since the given time', async () => {
  const { settings } = site.source;
  const { finalStatus } = settings;
  settings.finalStatus = { ...finalStatus, export: 'pondering' };
  site.editSource();
  const run = String((await post('starter', '/syncs', { route: 'free', full: true })).body['runId']);
  const holder = async () => (await get(`/api/v1/queues/north/export/holder?run=${run}`)).body;
  const { since } = await until('the run to hold its slot', holder, (body) => body['since'] !== undefined);
  const form = { run, reason: 'its job hangs' };
  const earlier = '2026-01-01T00:00:00.000Z';
  const release = (at: unknown) => post('operator', '/queues/north/export/release', { ...form, since: at });
  expect(await release(earlier)).toMatchObject({ status: 400 });
  const sent = await fetch(`${server.url}/queues/north/export/release`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ ...form, since: earlier }),
    headers: bearer('operator'),
  });
  expect(sent.status).toBe(400);
  expect(await holder()).toMatchObject({ runId: run, since });
  expect(await release(since)).toMatchObject({ status: 200, body: { released: true } });
  settings.finalStatus = finalStatus;
  await post('operator', `/runs/${run}/cancel`, { now: true });
  await reached(run, 'cancelled');
});

describe('metrics', () => {
  it('come from Temporal and the store', async () => {
    const answer = await fetch(`${server.url}/metrics`, { headers: bearer('viewer') });
    const lines = (await answer.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['portolan_temporal_up 1', 'portolan_store_up 1', 'portolan_workers 1', 'portolan_failing_runs 0'],
        ...[
          'portolan_open_runs{status="parked"} 0',
          'portolan_queue_slots{portal="south",direction="import"} 1',
        ],
        expect.stringMatching(/^portolan_ended_runs\{kind="backup",outcome="succeeded"\} [1-9]/),
        expect.stringMatching(/^portolan_last_success_items\{route="free",kind="backup",list="saved"\} 3/),
        expect.stringMatching(/^portolan_last_good_snapshot_timestamp_seconds\{route="free"\} 1\d{9}/),
        expect.stringMatching(
          /^portolan_http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/syncs",status="202"\} \d/,
        ),
      ]),
    );
    // No label holds the ID of a run.
    expect(lines.join('\n')).not.toMatch(/sync-asks-/);
  });

  it('read no record of an ended run twice', async () => {
    const { store, temporal } = site;
    const known = await readLastSuccesses({ config, store, temporal });
    expect(known.map(({ route, kind }) => `${kind} ${route}`)).toContain('backup free');
    const reads = jest.spyOn(store, 'readJson');
    const lists = jest.spyOn(temporal.client.workflow, 'list');
    const again = await readLastSuccesses({ config, store, temporal }, known);
    expect([again, lists.mock.calls.length, reads.mock.calls]).toEqual([known, 1, []]);
    for (const looks of [reads, lists]) looks.mockRestore();
  });
});

it('a probe tells whether the process, Temporal, the store and a worker respond', async () => {
  expect(await answered(`${server.url}/healthz`, {})).toMatchObject({
    status: 200,
    body: { healthy: true },
  });
  expect(await answered(`${server.url}/readyz`, {})).toMatchObject({
    status: 200,
    body: { ready: true, temporal: 'ok', store: 'ok', worker: 'ok' },
  });
});

it('a server of another task queue has no worker and nothing of these runs', async () => {
  const all = { name: 'all', sha256: hashOfKey(keyOf('viewer')), rights };
  const { taskQueue } = config.temporal;
  const changed = {
    temporal: { ...config.temporal, taskQueue: 'of-nobody' },
    serve: { ...config.serve, keys: new Map([['all', all]]) },
  };
  await withServer(changed, async (other) => {
    expect(await get('/readyz', 'viewer', other)).toMatchObject({
      status: 503,
      body: { ready: false, temporal: 'ok', worker: 'none running' },
    });
    expect((await get('/api/v1/runs', 'viewer', other)).body).toMatchObject({ runs: [] });
    const run = `${other.url}/api/v1/runs/${waiting.runId}`;
    for (const [where, body] of [
      [run, undefined],
      [`${run}/live`, undefined],
      [`${run}/approve`, { plan: 'abcdef12' }],
      [`${run}/cancel`, {}],
    ] as const)
      expect([where, JSON.stringify((await answered(where, bearer('viewer'), body)).body)]).toEqual([
        where,
        expect.stringContaining(taskQueue),
      ]);
  });
  await reached(waiting.runId, 'waiting');
});

describe('a server whose Temporal is away', () => {
  it('fails a slow call alone', async () => {
    const sources = new Sources(config);
    // No worker responds to its query.
    const { client } = site.temporal;
    const idle = await client.workflow.start('idle', { workflowId: 'idle', taskQueue: 'of-nobody' });
    const query = ({ temporal }: Required<ReadContext>) =>
      temporal.client.workflow.getHandle(idle.workflowId).query('anything');
    // A server that is busy itself may take Temporal for away at first.
    await until(
      'Temporal to be seen beside the late call',
      () => sources.both(query, 300).catch((thrown: unknown) => PortolanError.from(thrown).code),
      (code) => code === 'TIMEOUT',
    );
    expect(await sources.readable(({ temporal }) => Promise.resolve(temporal !== undefined))).toBe(true);
    await idle.terminate();
    await sources.close();
  });

  it('says so, shows what the store recorded and recovers by itself', async () => {
    const line = await Line.to(config.temporal.address);
    await withServer({ temporal: { ...config.temporal, address: line.address } }, async (far) => {
      const at = (where: string): Promise<Answer> => get(where, 'viewer', far);
      const ready = (wanted: number) =>
        until(
          `a probe with ${wanted}`,
          () => at('/readyz'),
          ({ status }) => status === wanted,
        );
      await ready(200);
      line.cut();
      expect((await ready(503)).body).toMatchObject({
        ready: false,
        temporal: 'TEMPORAL_UNREACHABLE',
        store: 'ok',
      });
      expect((await at('/api/v1/status')).body).toMatchObject({ temporal: { answers: false }, workers: [] });
      expect((await at(`/api/v1/runs/${ended}`)).body).toMatchObject({ status: 'succeeded' });
      expect(await at('/api/v1/queues')).toMatchObject(problem(503, 'TEMPORAL_UNREACHABLE', line.address));
      const metrics = await (await fetch(`${far.url}/metrics`, { headers: bearer('viewer') })).text();
      expect(metrics).toMatch(/^portolan_temporal_up 0\n(.*\n)*portolan_store_up 1$/m);
      // What only Temporal knows is not reported as nothing.
      expect(metrics).not.toMatch(/^portolan_(workers|open_runs|held_runs|queue_waiting|ended_runs)\b/m);
      await line.mend();
      await ready(200);
      expect((await at('/api/v1/status')).body).toMatchObject({ temporal: { answers: true } });
    });
    line.cut();
  });
});

describe('a caller', () => {
  /** A request to another name of the server than its address, or from another address of this machine. */
  const statusFor = (how: Pick<RequestOptions, 'headers' | 'localAddress'>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      httpRequest(`${server.url}/healthz`, how, (answer) => resolve(answer.resume().statusCode))
        .once('error', reject)
        .end();
    });

  it('reaches the server only under its own names [P25]', async () => {
    const { host, port } = new URL(server.url);
    const evil = 'evil.example.com';
    for (const [status, names] of [
      [200, [host, `localhost:${port}`, 'portolan.example.com']],
      [421, [evil, `${evil}:${port}`, 'localhost', `127.0.0.1.${evil}:${port}`]],
    ] as const)
      for (const name of names)
        expect([name, await statusFor({ headers: { host: name } })]).toEqual([name, status]);
  });

  it('has two turns at portals, which it has back once it leaves', async () => {
    const { faults } = site.source;
    faults.add({ match: { operation: 'group.content' }, times: 2, do: 'hold' });
    const leaving = new AbortController();
    const diff = (signal?: AbortSignal) =>
      fetch(`${server.url}/api/v1/routes/free/diff`, { headers: bearer('viewer'), signal });
    const left = [diff(leaving.signal), diff(leaving.signal)];
    await until('both to be asked', () => faults.holding > 1);
    for (const where of [
      '/api/v1/routes/free/diff',
      '/api/v1/pipelines/transport?drift=true',
      '/api/v1/pipelines/transport/stages/live/diff',
      `/api/v1/runs/${ended}/takeover?from=preview`,
    ])
      expect([where, await get(where)]).toMatchObject([where, problem(429, 'TOO_MANY')]);
    const page = (query: string) =>
      fetch(`${server.url}/pipelines/transport${query}`, {
        headers: { ...bearer('viewer'), accept: 'text/html' },
      });
    expect([(await page('?drift=1')).status, (await page('')).status]).toEqual([429, 200]);
    expect((await get('/api/v1/pipelines/transport')).status).toBe(200);
    leaving.abort();
    await Promise.allSettled(left);
    const isAnswered = async () => (await diff()).status === 200;
    await until('a turn', isAnswered);
    expect(faults.holding).toBe(2);
    faults.clear();
  });

  it('stops a verification when it leaves, and has its turn back', async () => {
    const seen = { opened: 0, chunks: 0, closed: 0 };
    async function* endless(): AsyncGenerator<Buffer> {
      seen.opened += 1;
      try {
        for (; ; seen.chunks += 1) {
          await new Promise(setImmediate);
          yield Buffer.alloc(10);
        }
      } finally {
        seen.closed += 1;
      }
    }
    const { openFile } = LocalStore.prototype;
    const opening = jest.spyOn(LocalStore.prototype, 'openFile');
    opening.mockImplementation(async function (this: LocalStore, key) {
      const found = await openFile.call(this, key);
      if (!found || !key.endsWith('.epk')) return found;
      return { size: found.size, open: () => Readable.from(endless()) };
    });
    const leaving = new AbortController();
    const verify = (signal?: AbortSignal) =>
      fetch(`${server.url}/api/v1/snapshots/verify`, {
        method: 'POST',
        headers: { ...bearer('operator'), 'content-type': 'application/json' },
        body: JSON.stringify({ route: 'asks' }),
        signal,
      });
    const left = verify(leaving.signal).then((answer) => answer.text());
    await until('a package to be read', () => seen.chunks > 10);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await until('its reading to end', () => seen.closed === 1);
    opening.mockRestore();
    const both = async () => (await Promise.all([verify(), verify()])).map(({ status }) => status);
    await until('both turns', both, (statuses) => statuses.join() === '200,200');
    expect(seen.opened).toBe(1);
    // Of what was not read to its end nothing is known to be wrong.
    for await (const key of site.store.list('')) expect(key).not.toContain('damage');
  });

  it('is refused if it asks too often, and others are not', async () => {
    const often = await until(
      'a refusal',
      () =>
        Promise.all(
          Array.from({ length: 100 }, () => fetched(`${server.url}/api/v1/whoami`, bearer('viewer'))),
        ),
      (answers) => answers.some(({ status }) => status === 429),
    );
    expect(often.find(({ status }) => status === 429)?.body).toMatchObject({ title: 'TOO_MANY' });
    expect(await statusFor({ localAddress: '127.0.0.2' })).toBe(200);
  });

  it('is the one that a known proxy names', async () => {
    const statuses = async (at: string) => {
      const from = (digit: number) => ({ headers: { 'x-forwarded-for': `198.51.100.${digit}` } });
      const answers = [7, 8].flatMap((digit) =>
        Array.from({ length: 45 }, () => fetch(`${at}/healthz`, from(digit))),
      );
      return new Set((await Promise.all(answers)).map(({ status }) => status));
    };
    await withServer({ serve: { ...config.serve, proxies: ['127.0.0.0/8'] } }, async (behind) => {
      expect(await statuses(behind.url)).toEqual(new Set([200]));
    });
    expect(await statuses(server.url)).toContain(429);
  });
});

it('an approval and a rejection at once leave one decision, and the other is refused', async () => {
  await until('requests to be allowed again', async () => (await get('/api/v1/whoami')).status === 200);
  const run = `/runs/${waiting.runId}`;
  const answers = await Promise.all([
    post('approver', `${run}/approve`, { plan: waiting.plan?.hash }),
    post('approver', `${run}/reject`, { reason: 'not tonight' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  const taken = answers[0].status === 200 ? 'approve' : 'reject';
  const { status, actions } = await reached(waiting.runId, 'succeeded', 'nothing-to-do', 'cancelled');
  expect(actions.map(({ what }) => what)).toEqual(['start', taken]);
  expect(status === 'cancelled').toBe(taken === 'reject');
});
