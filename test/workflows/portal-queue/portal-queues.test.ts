import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  portalQueueMessages,
  type SlotRelease,
  type PortalQueueState,
} from '../../../src/model/run/portal-queue';
import { transportItems } from '../../../src/simulator/seed/transport';
import { type OwnServer, startOwnServer } from '../../support/own-server';
import { Site, type SiteOptions } from '../../support/site';
import { until } from '../../support/until';
import { signed } from '../../support/control';
import { itLong } from '../../support/long';
import { messageNames } from '../../../src/model/run/run-input';
import { query } from '../../support/query';

let site: Site;
const open = async (options?: SiteOptions) => (site = await Site.open(options));
/** The server of one test. */
let own: OwnServer | undefined;
afterEach(async () => {
  await site.close();
  await own?.close();
  own = undefined;
});

/** How many jobs of a kind a portal had, and how many of them began before the previous one ended. */
function jobsOf(side: 'source' | 'target', kind: 'export' | 'import') {
  const spans = [...site[side].world.jobs.values()]
    .filter(({ type }) => type === kind)
    .sort((one, other) => one.created - other.created);
  const overlaps = spans.filter(({ created }, at) => created < (spans[at - 1]?.modified ?? 0));
  return { count: spans.length, overlaps: overlaps.length };
}

/** Portal queues that signalled a run that it holds a slot. */
async function grantsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .map(({ workflowExecutionSignaledEventAttributes: signal }) => signal)
    .filter((signal) => signal?.signalName === messageNames.granted)
    .map((signal) => JSON.parse(Buffer.from(signal?.input?.payloads?.[0]?.data ?? []).toString()));
}

/** Makes a portal queue check its holder now. */
const lookNow = (id: string) =>
  site.temporal.client.workflowService.resetActivity({
    namespace: site.config.temporal.namespace,
    execution: { workflowId: id },
    type: 'watchRun',
  });

const untilQueue = (id: string, isSo: (state: PortalQueueState) => boolean) =>
  until(
    id,
    () => site.queueState(id),
    (state) => state !== undefined && isSo(state),
  );

const untilCompleted = (id: string) =>
  until(
    `${id} to end`,
    () => site.handle(id).describe(),
    ({ status }) => status.name === 'COMPLETED',
  );

/** How many checks of its holder a portal queue has under way. */
async function checksOf(id: string): Promise<number> {
  const { pendingActivities } = (await site.handle(id).describe()).raw;
  return (pendingActivities ?? []).filter(({ activityType }) => activityType?.name === 'watchRun').length;
}

describe('portal queue', () => {
  it('gives its slot to one run at a time, and shows which runs wait', async () => {
    await open({ source: { jobPolls: Number.MAX_SAFE_INTEGER }, target: { jobMs: 500 } });
    const route = site.route({ items: [transportItems.pdf] });
    const handles: WorkflowHandle[] = [];
    for (let count = 0; count < 3; count += 1) handles.push(await site.start(route));
    const exportsOfSource = site.queueId('export', 'staging');
    const seen = await untilQueue(exportsOfSource, ({ waiting }) => waiting.length === 2);
    expect(seen?.holders).toHaveLength(1);
    site.source.settings.jobPolls = 0;
    const records = await Promise.all(handles.map(async (handle) => (await site.ended(handle)).record));
    expect(records.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(records.map(({ status }) => status)).toContain('succeeded');
    expect(jobsOf('source', 'export')).toEqual({ count: 3, overlaps: 0 });
    expect(jobsOf('target', 'import').overlaps).toBe(0);
    // A run that found a free slot is signalled too.
    for (const handle of handles) expect(await grantsOf(handle)).toContain(exportsOfSource);
    for (const id of [site.queueId('import'), exportsOfSource]) await untilCompleted(id);
  });

  itLong('gives as many slots as the portal is configured for', async () => {
    await open({ target: { jobMs: 60_000 } });
    const route = site.route();
    const two = { ...route, target: { ...route.target, concurrency: { exports: 2, imports: 2 } } };
    const handles = [await site.start(two), await site.start(two)];
    await untilQueue(site.queueId('import'), ({ holders }) => holders.length === 2);
    for (const handle of handles) await site.cancel(handle, true);
  });

  itLong('keeps its holder and its order when it is terminated', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const id = site.queueId('import');
    const portalQueue = site.handle(id);
    const holder = await site.start();
    await untilQueue(id, ({ holders }) => holders[0]?.runId === holder.workflowId);
    const again = site.route({ overwrite: true, data: 'replace' });
    const second = await site.start(again);
    await untilQueue(id, ({ waiting }) => waiting.length === 1);
    await portalQueue.terminate();
    const third = await site.start(again);
    const seen = await untilQueue(id, ({ waiting }) => waiting.includes(third.workflowId));
    expect(seen?.holders.map(({ runId }) => runId)).toEqual([holder.workflowId]);
    expect(seen?.waiting).toEqual([second.workflowId, third.workflowId]);
    await portalQueue.terminate();
    await site.cancel(holder, true);
    await untilQueue(id, ({ holders }) => holders[0]?.runId === second.workflowId);
    expect(await grantsOf(second)).toContain(id);
    await Promise.all([second, third].map((handle) => site.cancel(handle, true)));
  });

  itLong('keeps the slot of a run that cannot be told, until that run ends', async () => {
    own = await startOwnServer('history.maximumSignalsPerExecution=2');
    await open({ temporal: own.address });
    const id = site.queueId('import');
    const run = await site.start();
    // With the signal of the export queue, the run has had as many as the server allows.
    await run.signal('unheard');
    await until('a check of the run', () => checksOf(id));
    expect((await site.queueState(id))?.holders.map(({ runId }) => runId)).toEqual([run.workflowId]);
    await run.terminate();
    await lookNow(id);
    await untilCompleted(id);
  });

  it('checks its holder only while a run waits, and skips terminated runs', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const id = site.queueId('import');
    const portalQueue = site.handle(id);
    const checks = () => checksOf(id);
    const items = [transportItems.pdf];
    const holder = await site.start(site.route({ items }));
    await untilQueue(id, ({ holders }) => holders[0]?.runId === holder.workflowId);
    expect(await checks()).toBe(0);
    site.editSource();
    const again = site.route({ items, overwrite: true });
    const second = await site.start(again);
    await untilQueue(id, ({ waiting }) => waiting.length === 1);
    const third = await site.start(again);
    await untilQueue(id, ({ waiting }) => waiting.length === 2);
    await until('a check of the holder', checks);
    await second.terminate();
    await holder.terminate();
    await lookNow(id);
    await untilQueue(id, ({ holders }) => holders[0]?.runId === third.workflowId);
    await until('the end of the checks', checks, (count) => count === 0);

    const { release: name, state } = portalQueueMessages;
    const { since = '' } = (await query<PortalQueueState>(portalQueue, state)).holders[0] ?? {};
    const release: SlotRelease = { runId: third.workflowId, since, who: 'a@b', reason: 'a reset' };
    const stale = { ...release, since: '2026-01-01T00:00:00.000Z' };
    const refused = site.send(portalQueue, name, await signed(site.config, portalQueue, name, stale));
    await expect(refused).rejects.toThrow(/holds no slot/);
    for (const unsigned of [null, release]) await portalQueue.signal(name, unsigned);
    expect((await query<PortalQueueState>(portalQueue, state)).holders).toMatchObject([
      { runId: third.workflowId },
    ]);
    await site.cancel(third, true);
  });
});
