import type { ExportStarted, NothingExported, StartExport } from '../../activities/transfer/exports';
import { writing } from '../run/activity-options';
import type { ListSizes } from '../../model/transfer/job';
import { mayHaveBegun, refusal } from '../run/failure';
import type { PhaseEnd } from '../run/phase';
import { waitForJob } from './portal-job';
import type { TransferRun } from './transfer-run';

interface ExportJob {
  readonly name: 'export' | 'safeguard';
  readonly side: 'source' | 'target';
  /** Index of the package, from 0. */
  readonly part: number;
  /** The run keeps its slot for its next export. @default false */
  readonly stays?: boolean;
}

export interface ExportedPackage {
  readonly itemId: string;
  readonly polls?: number;
  readonly detail: string;
}

/**
 * Ends a phase whose export made no package. If no item can be exported, nothing is left to do, except in a backup that
 * shares items with an earlier one. Otherwise throws EXPORT_FAILED.
 */
export function endWithoutPackage(run: TransferRun, { done, failed, skipped }: NothingExported): PhaseEnd {
  const { name: portal } = run.need('source');
  if (done + failed > 0)
    throw refusal(
      'EXPORT_FAILED',
      `${portal} created no package: ${done} items exported, ${failed} failed, ${skipped} skipped`,
    );
  const goesOn = !run.route.target && (run.facts.requested?.same ?? 0) > 0;
  return { detail: 'no item of the group can be exported', then: goesOn ? undefined : 'end' };
}

/**
 * Waits for an export's package; some jobs end without one. A portal job cannot be stopped, so cancelling waits too.
 * Otherwise nobody would remove its package.
 */
export async function packageOf(
  run: TransferRun,
  job: ExportJob,
  started: ExportStarted,
): Promise<ExportedPackage | NothingExported> {
  const portal = run.need(job.side);
  if (started.kind === 'nothing') throw refusal('INTERNAL', 'the export finished without a package');
  if (started.kind === 'package') {
    run.warn(started.unmarked);
    run.traces.holds(job.side, started.packageItemId);
    return { itemId: started.packageItemId, detail: 'the portal finished at once' };
  }
  const { packageItemId, status, polls, lists } = await waitForJob(run, { ...job, started });
  if (packageItemId) {
    run.traces.holds(job.side, packageItemId);
    return { itemId: packageItemId, polls, detail: detailOf(lists) };
  }
  if (lists) return { kind: 'nothing', ...lists };
  throw refusal(
    'BAD_RESPONSE',
    `${portal.name} ended its ${job.name} job as "${status}" without a package or lists`,
  );
}

function detailOf(lists?: ListSizes): string {
  const { done = 0, skipped = 0, failed = 0 } = lists ?? {};
  if (done + skipped + failed === 0) return 'the package is ready';
  return `${done} exported, ${skipped} skipped, ${failed} failed`;
}

/** Starts an export in a slot. It counts as open from the request until its end is known. */
export async function startExport(
  run: TransferRun,
  job: ExportJob,
  more: Pick<StartExport, 'items' | 'itemList' | 'leavesOut' | 'planRef' | 'round'>,
): Promise<ExportStarted> {
  const { name, side, part } = job;
  const portal = run.need(side);
  const { runId } = run.input;
  await run.portalQueues.enter(run.end(side), 'export');
  run.traces.writesOn(side);
  run.traces.opens({ name, side, part, startedAt: Date.now() });
  try {
    const started = await writing(
      `${name} ${side === 'source' ? 'from' : 'on'} ${portal.name}`,
      portal.name,
    ).startExport({
      runId,
      purpose: name,
      portal,
      groupId: run.end(side).groupId,
      decisions: run.parks,
      part,
      ...more,
    });
    if (started.kind !== 'job') run.traces.closes(job);
    if (started.kind === 'nothing' && !job.stays) await run.portalQueues.leave(run.end(side), 'export');
    return started;
  } catch (thrown) {
    if (!mayHaveBegun(thrown, run.route)) run.traces.closes(job);
    throw thrown;
  }
}
