import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  portalQueueId,
  portalQueueMemoKey,
  portalQueueMessages,
  type SlotRelease,
  type PortalQueueState,
} from '../../../src/model/run/portal-queue';
import { findTemporalCli } from '../../../src/temporal/dev-server/temporal-cli';
import { startTemporalServer, type TemporalServer } from '../../../src/temporal/dev-server/temporal-server';
import { Rehearsal, type RehearsalOptions } from '../../support/rehearsal';
import { until } from '../../support/until';
import { signed } from '../../support/control';
import { itLong } from '../../support/long';
import { messageNames } from '../../../src/model/run/run-input';

let rehearsal: Rehearsal;
const open = async (options?: RehearsalOptions): Promise<Rehearsal> =>
  (rehearsal = await Rehearsal.open(options));
/** A server that one test has to itself, and its folder. */
let own: { readonly server: TemporalServer; readonly folder: string } | undefined;
afterEach(async () => {
  await rehearsal.close();
  if (own === undefined) return;
  await own.server.stop();
  await rm(own.folder, { recursive: true, force: true });
  own = undefined;
});

const idOf = (direction: 'export' | 'import', portal = 'production'): string =>
  portalQueueId({ taskQueue: rehearsal.config.temporal.taskQueue, portal, direction });

/** What a portal queue says of itself without a worker. */
async function portalQueueState(id: string): Promise<PortalQueueState | undefined> {
  const { memo } = await rehearsal.temporal.client.workflow.getHandle(id).describe();
  return memo?.[portalQueueMemoKey] as PortalQueueState | undefined;
}

/** How many jobs of a kind a portal worked on, and how many of them began before the one before was over. */
function jobsOf(side: 'source' | 'target', kind: 'export' | 'import'): { count: number; overlaps: number } {
  const spans = [...rehearsal[side].world.jobs.values()]
    .filter(({ type }) => type === kind)
    .sort((one, other) => one.created - other.created);
  const overlaps = spans.filter(({ created }, at) => created < (spans[at - 1]?.modified ?? 0));
  return { count: spans.length, overlaps: overlaps.length };
}

/** Portal queues that have told a run that it holds a slot. */
async function grantsOf(handle: WorkflowHandle): Promise<unknown[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .map(({ workflowExecutionSignaledEventAttributes: signal }) => signal)
    .filter((signal) => signal?.signalName === messageNames.granted)
    .map((signal) => JSON.parse(Buffer.from(signal?.input?.payloads?.[0]?.data ?? []).toString()));
}

/** Starts it with a setting that the server of all suites has not. @returns its address */
async function serverWith(setting: string): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-queue-'));
  const cli = path.join(folder, 'temporal');
  const { path: found } = await findTemporalCli();
  await writeFile(cli, `#!/bin/sh\nexec '${found}' "$@" --dynamic-config-value ${setting}\n`, {
    mode: 0o755,
  });
  const logFile = path.join(folder, 'temporal.log');
  const server = await startTemporalServer({
    cli,
    address: '127.0.0.1:0',
    logFile,
  });
  own = { server, folder };
  return server.address;
}

/** The next check of a portal queue whether its holders are open is now. */
const lookNow = (id: string): Promise<unknown> =>
  rehearsal.temporal.client.workflowService.resetActivity({
    namespace: rehearsal.config.temporal.namespace,
    execution: { workflowId: id },
    type: 'watchRun',
  });

/** Waits until a portal queue is so. */
const untilQueue = (
  id: string,
  isSo: (state: PortalQueueState) => boolean,
): Promise<PortalQueueState | undefined> =>
  until(
    id,
    () => portalQueueState(id),
    (state) => state !== undefined && isSo(state),
  );

describe('a portal queue', () => {
  it('lets one run through at a time, and says who waits', async () => {
    await open({ source: { jobPolls: Number.MAX_SAFE_INTEGER }, target: { jobMs: 500 } });
    const route = rehearsal.route();
    const handles: WorkflowHandle[] = [];
    for (let count = 0; count < 3; count += 1) handles.push(await rehearsal.start(route));
    const exportsOfSource = idOf('export', 'staging');
    const seen = await untilQueue(exportsOfSource, ({ waiting }) => waiting.length === 2);
    expect(seen?.holders).toHaveLength(1);
    rehearsal.source.settings.jobPolls = 0;
    const records = await Promise.all(handles.map(async (handle) => (await rehearsal.ended(handle)).record));
    expect(records.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(records.map(({ status }) => status)).toContain('succeeded');
    expect(jobsOf('source', 'export')).toEqual({ count: 3, overlaps: 0 });
    expect(jobsOf('target', 'import').overlaps).toBe(0);
    // What a run only reads, it may miss: the one that found a slot free is told as well.
    for (const handle of handles) expect(await grantsOf(handle)).toContain(exportsOfSource);
    for (const id of [idOf('import'), exportsOfSource])
      await until(
        `${id} to end`,
        () => rehearsal.temporal.client.workflow.getHandle(id).describe(),
        ({ status }) => status.name === 'COMPLETED',
      );
  });

  itLong('lets in as many as the configuration gives the portal', async () => {
    await open({ target: { jobMs: 60_000 } });
    const route = rehearsal.route();
    const two = { ...route, target: { ...route.target, concurrency: { exports: 2, imports: 2 } } };
    const handles = [await rehearsal.start(two), await rehearsal.start(two)];
    await untilQueue(idOf('import'), ({ holders }) => holders.length === 2);
    for (const handle of handles) await rehearsal.cancel(handle, true);
  });

  itLong(
    'goes on with whom it showed when somebody has terminated it, whoever comes or leaves then',
    async () => {
      await open({ target: { finalStatus: { import: 'pondering' } } });
      const id = idOf('import');
      const portalQueue = rehearsal.temporal.client.workflow.getHandle(id);
      const holder = await rehearsal.start();
      await untilQueue(id, ({ holders }) => holders[0]?.runId === holder.workflowId);
      const again = rehearsal.route({ overwrite: true, data: 'replace' });
      const second = await rehearsal.start(again);
      await untilQueue(id, ({ waiting }) => waiting.length === 1);
      await portalQueue.terminate();
      const third = await rehearsal.start(again);
      const seen = await untilQueue(id, ({ waiting }) => waiting.includes(third.workflowId));
      expect(seen?.holders.map(({ runId }) => runId)).toEqual([holder.workflowId]);
      expect(seen?.waiting).toEqual([second.workflowId, third.workflowId]);
      await portalQueue.terminate();
      await rehearsal.cancel(holder, true);
      await untilQueue(id, ({ holders }) => holders[0]?.runId === second.workflowId);
      expect(await grantsOf(second)).toContain(id);
      await Promise.all([second, third].map((handle) => rehearsal.cancel(handle, true)));
    },
  );

  it('looks at who is in only while another run waits, and often again when the next one comes', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const id = idOf('import');
    const looks = async (): Promise<number> => {
      const { raw } = await rehearsal.temporal.client.workflow.getHandle(id).describe();
      return (
        raw.pendingActivities?.filter(({ activityType }) => activityType?.name === 'watchRun').length ?? 0
      );
    };
    const holder = await rehearsal.start();
    await untilQueue(id, ({ holders }) => holders[0]?.runId === holder.workflowId);
    expect(await looks()).toBe(0);
    const waiting = await rehearsal.start(rehearsal.route({ overwrite: true, data: 'replace' }));
    await until('the holder is looked at', looks);
    await rehearsal.cancel(waiting, true);
    await until('nobody is looked at', looks, (count) => count === 0);
    expect((await portalQueueState(id))?.holders.map(({ runId }) => runId)).toEqual([holder.workflowId]);
    await rehearsal.cancel(holder, true);
  });

  itLong('keeps the place of a run that it cannot tell, until that run is over', async () => {
    await open({ temporal: await serverWith('history.maximumSignalsPerExecution=2') });
    const id = idOf('import');
    const portalQueue = rehearsal.temporal.client.workflow.getHandle(id);
    const run = await rehearsal.start();
    // With this one and that of the queue for exports it has had as many as the server lets it have.
    await run.signal('unheard');
    await until('a look at the run', async () =>
      (await portalQueue.describe()).raw.pendingActivities?.some(
        ({ activityType }) => activityType?.name === 'watchRun',
      ),
    );
    expect((await portalQueueState(id))?.holders.map(({ runId }) => runId)).toEqual([run.workflowId]);
    await run.terminate();
    await lookNow(id);
    await until(
      'the portal queue to end',
      () => portalQueue.describe(),
      ({ status }) => status.name === 'COMPLETED',
    );
  });

  it('passes over a run that was terminated, inside or in the queue, and is taken from one by an operator, whose words are in its record', async () => {
    await open({ target: { finalStatus: { import: 'pondering' } } });
    const holder = await rehearsal.start();
    await untilQueue(idOf('import'), ({ holders }) => holders[0]?.runId === holder.workflowId);
    const again = rehearsal.route({ overwrite: true, data: 'replace' });
    const second = await rehearsal.start(again);
    await untilQueue(idOf('import'), ({ waiting }) => waiting.length === 1);
    const third = await rehearsal.start(again);
    await untilQueue(idOf('import'), ({ waiting }) => waiting.length === 2);
    await second.terminate();
    await holder.terminate();
    await lookNow(idOf('import'));
    await untilQueue(idOf('import'), ({ holders }) => holders[0]?.runId === third.workflowId);
    const portalQueue = rehearsal.temporal.client.workflow.getHandle(idOf('import'));
    const { since = '' } =
      (await portalQueue.query<PortalQueueState>(portalQueueMessages.state)).holders[0] ?? {};
    const { release: name } = portalQueueMessages;
    const release = async (runId: string, heldSince = since): Promise<unknown> => {
      const message: SlotRelease = { runId, since: heldSince, who: 'a@b', reason: 'the portal was reset' };
      return await rehearsal.send(
        portalQueue,
        name,
        await signed(rehearsal.config, portalQueue, name, message),
      );
    };
    await expect(release('nobody')).rejects.toThrow(/nobody holds no slot/);
    await expect(release(third.workflowId, '2026-01-01T00:00:00.000Z')).rejects.toThrow(/holds no slot/);
    // Neither is signed: the queue changes nothing, and goes on.
    const forged = { runId: third.workflowId, since, who: 'a@b', reason: 'theirs' };
    for (const message of [null, forged]) await portalQueue.signal(name, message);
    expect((await portalQueueState(idOf('import')))?.holders).toMatchObject([{ runId: third.workflowId }]);
    expect(await release(third.workflowId)).toMatchObject({
      taken: true,
      answer: `${third.workflowId} no longer holds a slot of ${idOf('import')}`,
    });
    const { record } = await rehearsal.cancel(third, true);
    expect(record.status).toBe('cancelled');
    expect(record.actions).toContainEqual(
      expect.objectContaining({
        who: 'a@b',
        what: `release ${idOf('import')}`,
        reason: 'the portal was reset',
      }),
    );
  });
});
