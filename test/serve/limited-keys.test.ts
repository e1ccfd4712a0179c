import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { contract, type OperationId } from '../../src/contract/contract';
import type { Operation } from '../../src/contract/operation';
import { rights } from '../../src/model/rights';
import type { RunRecord } from '../../src/model/run/run';
import { hashOfKey } from '../../src/serve/access';
import { Sources } from '../../src/serve/sources';
import { call } from '../../src/service/call';
import { handlers } from '../../src/service/handlers';
import { portolanWith } from '../../src/service/local';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { inProcess } from '../support/in-process';
import { scheduledTask } from '../support/scheduled-task';
import { openServedSite, type ServedSite } from '../support/served-site';

const keys = {
  all: { rights },
  limited: { rights, routes: ['free'], pipelines: [] },
  viewer: { rights: ['view'] },
  starter: { rights: ['view', 'start'] },
} as const;
type Key = keyof typeof keys;
const keyOf = (name: Key): string => `planted-key-of-${name}`;

const drillGroupId = 'd0000000000000000000000000000077';

let site: ServedSite;
/** Runs of the route `asks`: one that waits for approval, and one that overwrote items. */
let waiting: RunRecord;
let ended: RunRecord;

beforeAll(async () => {
  const named = Object.entries(keys).map(([name, key]) => [
    name,
    { sha256: hashOfKey(keyOf(name as Key)), ...key },
  ]);
  site = await openServedSite({
    serve: { keys: Object.fromEntries(named) },
    asks: { approval: 'ask', backup: { drill: { portal: 'south', group: drillGroupId } } },
    schedules: { weekly: { kind: 'sync', route: 'asks', cron: '30 3 * * 0', paused: true } },
  });
  const { rehearsal } = site;
  const typed = async (...args: string[]): Promise<unknown> => {
    const { stdout, stderr, status } = await inProcess([...args, '-o', 'json'], { cwd: rehearsal.folder });
    expect([args, stderr, status]).toEqual([args, stderr, 0]);
    return JSON.parse(stdout) as unknown;
  };
  await typed('sync', 'asks', '--yes');
  site.rehearsal.editSource();
  ended = (await typed('sync', 'asks', '--full', '--yes')) as RunRecord;
  for (let time = 0; time < 2; time += 1) await typed('backup', 'create', 'asks', '--full');
  await typed('release', 'create', 'transport');
  await typed('schedule', 'apply', '--yes');
  const portolan = portolanWith(rehearsal);
  site.rehearsal.editSource();
  const { runId } = (await tell('all', 'POST /syncs', { route: 'asks', full: true })).body as RunRecord;
  for await (const { record } of portolan.watchRun({ run: runId })) {
    waiting = record;
    if (record.status === 'waiting') break;
  }
});
afterAll(() => site.close());

type Values = Readonly<Record<string, unknown>>;

/** Each operation that changes something, with what it is asked to change. */
const samples = (): Readonly<Record<string, Values>> => {
  const { runId: run, plan } = waiting;
  const reason = 'a test of rights';
  const document = { portal: 'south', kind: 'settings', content: {} };
  const item = [...site.rehearsal.source.world.items.values()][0]?.id;
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
    restartRun: { run: ended.runId, from: 'guard' },
    restoreItem: { item, at: 'latest:asks' },
    resumeRun: { run },
    resumeSchedule: { schedule: 'weekly' },
    retryRun: { run: ended.runId },
    rollBackRun: { run: ended.runId },
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

async function tell(as: Key, at: string, input: Values): Promise<{ status: number; body: unknown }> {
  const body = { ...input };
  const where = at.slice('POST '.length).replace(/:(\w+)/g, (_, name: string) => {
    delete body[name];
    return encodeURIComponent(String(input[name]));
  });
  const answer = await fetch(`${site.server.url}/api/v1${where}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keyOf(as)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const changing = (Object.entries(contract) as [OperationId, Operation][]).filter(([, { at }]) =>
  at.startsWith('POST'),
);

describe.each(changing)('%s', (id, { at }) => {
  it.each(['limited', 'viewer'] as const)('is refused to a key that is %s [P25]', async (as) => {
    const sample = samples()[id];
    if (sample === undefined) throw new Error(`add a sample of ${id} that belongs to asks or transport`);
    expect(await tell(as, at, sample)).toEqual({
      status: 403,
      body: expect.objectContaining({ title: 'RIGHT_MISSING' }),
    });
  });
});

it.each([{ yes: true }, { scheduledBy: 'weekly' }])(
  'a start with %j is refused to a key that may only start, and no portal is told of it [P25]',
  async (more) => {
    const task = scheduledTask(site.rehearsal.target);
    const taskRun = { portal: 'south', username: 'owner', taskId: task.id };
    const refused = await tell('starter', 'POST /syncs', { route: 'asks', taskRun, ...more });
    expect([refused.status, task.posts()]).toEqual([403, 0]);
  },
);

it.each(['changeDocument', 'updateTaskRun'] as const)(
  '%s is refused to a key that may only start [P25]',
  async (id) => {
    const { status, body } = await tell('starter', contract[id].at, samples()[id]!);
    expect([status, body]).toEqual([403, expect.objectContaining({ title: 'RIGHT_MISSING' })]);
  },
);

describe('a handler that changes something and does not ask who may [P25]', () => {
  const caller = { who: 'all', identity: 'key', rights } as const;
  const refused = (id: OperationId): string => `${id} changes something and does not ask who may`;
  let sources: Sources;
  beforeAll(() => {
    sources = new Sources(site.rehearsal.config);
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
    const { store } = site.rehearsal;
    jest.spyOn(handlers, 'unfreeze').mockImplementation(async (context) => {
      await context.store.writeJson('careless.json', {});
      return { portal: 'north', frozen: false };
    });
    await expect(call('unfreeze', { portal: 'north' }, sources, { caller })).rejects.toThrow(
      refused('unfreeze'),
    );
    expect(await store.names('')).not.toContain('careless.json');
  });

  it('is stopped before it ends a run', async () => {
    const { client } = site.rehearsal.temporal;
    const { runId } = waiting;
    jest.spyOn(handlers, 'cancelRun').mockImplementation(async ({ temporal }) => {
      await temporal.client.workflow.getHandle(runId).terminate('careless');
      return { runId, record: waiting, cancelled: true, now: true, taken: true };
    });
    // What Temporal's client throws has it as its cause.
    await expect(call('cancelRun', { run: runId }, sources, { caller })).rejects.toMatchObject({
      cause: new TypeError(refused('cancelRun')),
    });
    expect((await client.workflow.getHandle(runId).describe()).status.name).toBe('RUNNING');
  });
});
