import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { runPage } from '../../../src/service/run/run-rows';
import { runIdFor, startRun } from '../../../src/service/run/start-run';
import type { BisectInput } from '../../../src/model/run/run-input';
import { type RunRecord } from '../../../src/model/run/run';
import { emptyGroupId, manyGroupId } from '../../../src/simulator/seed/seeds';
import { stopTracing } from '../../../src/tracing/tracing';
import { type OwnServer, startOwnServer } from '../../support/own-server';
import { manyItems, Site, type SiteOptions, idsOf } from '../../support/site';
import { jsonOf } from '../../support/json';
import { above, SpanReceiver, traceTo } from '../../support/span-receiver';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';
import { limitedTo } from '../../../src/service/run/parent-run';
import { SeedBuilder } from '../../../src/simulator/seed/build';
import { builtInUsers } from '../../../src/simulator/seed/users';
import { ProtectedSite } from '../../cli/protect/site';
import { portrait } from '../snapshot/portrait';

/** After so many events, this server asks a workflow to continue as new; others ask after some thousands. */
const EVENTS_MAX = 12;

let server: OwnServer;
let receiver: SpanReceiver;
let site: Site;
const { run, recordOf, shown } = typedIn(() => site.folder);

beforeAll(async () => {
  receiver = await SpanReceiver.open();
  await traceTo(receiver, (words) => {
    throw new Error(words);
  });
  server = await startOwnServer(`limit.historyCount.suggestContinueAsNew=${EVENTS_MAX}`);
});
afterEach(() => site.close());
afterAll(async () => {
  await stopTracing();
  await receiver.close();
  await server.close();
});

const open = async (options: SiteOptions = {}) =>
  (site = await Site.open({ temporal: server.address, ...options }));

/** Executions of a workflow, each of which but the last has continued as the next. */
async function executionsOf(workflowId: string) {
  const statuses: string[] = [];
  const query = `WorkflowId = '${workflowId}'`;
  for await (const { status } of site.temporal.client.workflow.list({ query })) statuses.push(status.name);
  return statuses;
}

describe('bisect that continues as new', () => {
  const itemIds = Array.from({ length: 8 }, (_, at) => `c${(at + 1).toString(16).padStart(31, '0')}`);
  const failing = [itemIds[1]!, itemIds[6]!];

  /** Starts a bisect of a run whose import failed, as the command does. */
  async function bisect() {
    await open({ ...manyItems(itemIds.length), target: { seed: 'empty', failing } });
    const parent = await site.sync(site.route(), { parks: false });
    const { store } = site;
    const route = site.route();
    const runId = runIdFor('bisect', route.name, undefined);
    const { options, keep } = limitedTo(store, runId, route.options, itemIds);
    await keep();
    await startRun<BisectInput>('bisect', site, {
      yes: true,
      runId,
      route: { ...route, options },
      reason: 'ticket 7',
      parent: parent.runId,
      reuse: { runId: parent.runId, sha256: parent.record.package!.sha256 },
      wholeFailed: true,
    });
    return site.handle(runId);
  }

  it('finds the failing items, and has one span in its trace', async () => {
    const handle = await bisect();
    const { record, runId } = await site.ended(handle);
    const executions = await until(
      "the end of a search in Temporal's index",
      () => executionsOf(runId),
      (statuses) => !statuses.includes('RUNNING'),
    );
    expect(executions.length).toBeGreaterThan(3);
    expect(executions.filter((status) => status !== 'CONTINUED_AS_NEW')).toEqual(['COMPLETED']);

    expect(record).toMatchObject({ kind: 'bisect', status: 'partial', target: 'changed' });
    expect(record.temporal.runId).toBe((await handle.describe()).runId);
    expect(record.actions).toMatchObject([{ what: 'start', reason: 'ticket 7' }]);
    const children = record.children ?? [];
    expect(new Set(children.map((child) => child.runId)).size).toBe(children.length);
    expect(site.imports()).toHaveLength(children.length + 1);
    expect(children.length).toBeLessThanOrEqual(2 * failing.length * (Math.log2(itemIds.length) + 1));

    const { failed, imported, ...others } = await site.ledger(runId);
    expect(idsOf(failed)).toEqual(failing);
    for (const { reason } of failed) expect(reason).toContain('could not be imported');
    expect(idsOf(imported)).toEqual(itemIds.filter((itemId) => !failing.includes(itemId)));
    expect(Object.values(others).flat()).toEqual([]);
    expect(site.packages()).toEqual([]);

    const spans = await receiver.traceOf(runId);
    expect(receiver.ofRun(runId)).toHaveLength(1);
    const parts = spans.filter(({ name }) => name === 'RunWorkflow:sync');
    expect(parts).toHaveLength(children.length);
    for (const each of parts) expect(above(spans, each)).toEqual(['RunWorkflow:sync', 'RunWorkflow:bisect']);
  });

  it('is listed as one run, and can be cancelled later', async () => {
    const handle = await bisect();
    await until('a second history', async () => (await executionsOf(handle.workflowId)).length > 1);
    site.target.settings.jobPolls = 3;
    const row = async () => (await runPage(site)).rows.find(({ runId }) => runId === handle.workflowId);
    const listed = await row();
    expect(listed).toMatchObject({ kind: 'bisect', route: 'transport', status: 'running' });
    expect(listed?.finishedAt).toBeUndefined();
    expect(listed?.startedAt).toBe((await site.state(handle)).startedAt);
    await site.askToEnd(handle, { who: 'a@b', reason: 'enough' });
    const { record } = await site.ended(handle);
    expect(record).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
    expect(record.actions).toMatchObject([{ what: 'start' }, { what: 'cancel', reason: 'enough' }]);
    const ended = await until('the end in the list', row, (seen) => seen?.status === 'cancelled');
    expect(ended?.startedAt).toBe(record.startedAt);
  });
});

/** Fails unless each run has succeeded and has continued as new. */
async function expectContinued(...records: readonly RunRecord[]) {
  for (const { runId, status } of records) {
    const executions = await until(
      `the end of ${runId} in Temporal's index`,
      () => executionsOf(runId),
      (statuses) => statuses.includes('COMPLETED'),
    );
    expect(executions.filter((each) => each !== 'CONTINUED_AS_NEW')).toEqual(['COMPLETED']);
    expect({ runId, status, executions: executions.length }).not.toEqual({ runId, status, executions: 1 });
    expect({ runId, status }).toEqual({ runId, status: 'succeeded' });
  }
}

describe('run of packages that continues as new', () => {
  it('imports each package once when parked and resumed, and is rolled back', async () => {
    await open();
    const { source, target } = site;
    const count = (side: typeof source, operation: string, wanted: Record<string, string> = {}) =>
      side
        .requests()
        .filter((each) => each.operation === operation && each.errorCode === undefined)
        .filter(({ params }) => Object.entries(wanted).every(([name, value]) => params[name] === value))
        .length;
    const before = await portrait(target);
    site.refuseImports({ nth: 2 });
    const parked = await site.sync(site.routeInPackages(1_100_000));
    expect(parked.record).toMatchObject({ status: 'parked', parked: { phase: 'import', count: 1 } });
    const { record } = await site.resume(parked.handle);
    expect(record).toMatchObject({ package: { parts: 2 } });
    expect(count(target, 'group.import', { previewOnly: 'false' })).toBe(2);
    // The first package was too large and was split in two.
    expect(count(source, 'group.export')).toBe(3);
    const undone = await site.rollback(record, { deleteCreated: true });
    expect(await portrait(target)).toEqual(before);
    expect(site.packages()).toEqual([]);
    await expectContinued(record, undone.record);
  });

  it('saves a snapshot and restores it', async () => {
    await open();
    const { record } = await site.backup();
    const restored = await site.restore(record.snapshot?.id ?? '', { overwrite: true, data: 'replace' });
    expect(site.packages()).toEqual([]);
    await expectContinued(record, restored.record);
  });
});

describe('pipeline whose runs continue as new', () => {
  const appsGroupId = 'e0000000000000000000000000000077';
  const own = { settings: true, categories: true };
  const groups = (roads: string) => ({ roads, apps: appsGroupId });
  const pipeline = {
    groups: ['roads', 'apps'],
    ...own,
    stages: {
      dev: { portal: 'dev', groups: groups(manyGroupId) },
      live: {
        portal: 'live',
        groups: groups(emptyGroupId),
        approval: 'none',
        ...own,
        checks: [{ name: 'always', command: 'true' }],
      },
    },
  };
  const due = { kind: 'promote', pipeline: 'transport', stage: 'live', cron: '0 6 * * MON', paused: true };
  async function openStages() {
    await open({
      listed: true,
      user: builtInUsers.admin,
      source: { seed: 'many', seedItems: 3 },
      target: { seed: 'empty' },
      names: { source: 'dev', target: 'live' },
      config: { routes: {}, pipelines: { transport: pipeline }, schedules: { weekly: due } },
    });
    const { source, target } = site;
    for (const { world } of [source, target]) new SeedBuilder(world, 'admin').group(appsGroupId, 'Apps');
    const app = { id: `e7${'1'.repeat(30)}`, title: 'Closures', type: 'Web Map', groups: [appsGroupId] };
    await new SeedBuilder(source.world).file(app, { operationalLayers: [] });
    source.world.changePortal({ categorySchema: [{ title: 'Themes', categories: [{ title: 'Roads' }] }] });
  }

  it('makes a release, promotes it when due, and rolls the stage back', async () => {
    await openStages();
    const { target } = site;
    const stage = async () => [await portrait(target), target.world.portal.categorySchema];
    const before = await stage();
    const made = await recordOf('release', 'create', 'transport');
    await run('schedule', 'apply', '--yes');
    const triggered = await run('schedule', 'trigger', 'weekly', '-o', 'json');
    const promote = await shown(jsonOf<{ runId: string }>(triggered).runId);
    const promoted = await shown(promote.children?.[0]?.runId ?? '');
    expect(promoted.phases.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1, 1, 0]);
    expect(await stage()).not.toEqual(before);
    const back = await recordOf('promote', 'rollback', 'transport', 'live', '--yes');
    expect(await stage()).toEqual(before);
    expect(site.packages()).toEqual([]);
    await expectContinued(made, promote, promoted, back);
  });
});

describe('a rule that continues as new', () => {
  const GROUPS = 12;
  /** What each group adds to its memory. @format bytes */
  const GROUP_BYTES = 600;

  it('backs up each group once, and carries a few hundred bytes of each', async () => {
    const rule = { groups: 'tags:official', concurrency: 2 };
    const portal = await ProtectedSite.open(rule, server.address);
    site = portal.at;
    for (let number = 1; number <= GROUPS; number += 1) await portal.group(number, ['official']);
    const { runId, status, children = [] } = await portal.night();
    expect([status, children.length, new Set(children.map(({ groupId }) => groupId)).size]).toEqual([
      ...['succeeded', GROUPS, GROUPS],
    ]);
    for (let number = 1; number <= GROUPS; number += 1) expect(portal.exports(number)).toBe(1);
    const carried: number[] = [];
    const { workflow } = site.temporal.client;
    for await (const execution of workflow.list({ query: `WorkflowId = '${runId}'` })) {
      const { events } = await workflow.getHandle(runId, execution.runId).fetchHistory();
      const [, memory] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      if (memory) carried.push(memory.data?.length ?? 0);
    }
    carried.sort((one, other) => one - other);
    expect(carried.length).toBeGreaterThan(3);
    const [first = 0, last = 0] = [carried.at(0), carried.at(-1)];
    expect((last - first) / (GROUPS - 2)).toBeLessThan(GROUP_BYTES);
  });
});

describe('portal queue that continues as new', () => {
  it('keeps its holder and its order', async () => {
    await open({ source: { jobPolls: Number.MAX_SAFE_INTEGER } });
    const queueId = site.queueId('export', 'staging');
    const stateOf = () => site.queueState(queueId);
    const handles: WorkflowHandle[] = [];
    for (let count = 1; count <= 5; count += 1) {
      handles.push(await site.start());
      await until(`${count} runs in the portal queue`, async () => {
        const state = await stateOf();
        return (state?.holders.length ?? 0) + (state?.waiting.length ?? 0) === count;
      });
    }
    const runIds = handles.map(({ workflowId }) => workflowId);
    const seen = await stateOf();
    expect([...(seen?.holders ?? []).map(({ runId }) => runId), ...(seen?.waiting ?? [])]).toEqual(runIds);
    await until('a new history of the portal queue', async () =>
      (await executionsOf(queueId)).includes('CONTINUED_AS_NEW'),
    );
    site.source.settings.jobPolls = 0;
    const ended = await Promise.all(handles.map((handle) => site.ended(handle)));
    expect(ended.flatMap(({ record }) => record.error ?? [])).toEqual([]);
    const exportedAt = ended.map(({ record }) => record.phases.find(({ name }) => name === 'wait-export'));
    const ends = exportedAt.map((phase) => phase?.finishedAt ?? '');
    expect(ends).toEqual([...ends].sort());
    await until('the end of the portal queue', async () =>
      (await executionsOf(queueId)).includes('COMPLETED'),
    );
  });
});
