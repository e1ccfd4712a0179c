import type { ExportStarted, StartExport } from '../../activities/transfer/exports';
import { writing } from '../run/calls';
import { known } from '../run/facts';
import { mayHaveBegun, refusal } from '../run/failure';
import { waitForJob } from './portal-job';
import type { TransferRun } from './transfer-run';

interface ExportJob {
  /** Of which of several packages. @default that at hand */
  readonly part?: number;
  readonly name: 'export' | 'safeguard';
  readonly side: 'source' | 'target';
  readonly started: ExportStarted;
  /** The run stays in its gate, since another export follows at once. @default false */
  readonly stays?: boolean;
}

export interface ExportedPackage {
  readonly itemId: string;
  /** Whether it is marked as ours. */
  readonly isMarked: boolean;
  readonly polls?: number;
  readonly detail: string;
}

/**
 * Waits for an export's package. A job on a portal cannot be stopped, so cancelling waits
 * too: else its package would come when nobody is there to remove it.
 */
export async function packageOf(run: TransferRun, job: ExportJob): Promise<ExportedPackage> {
  const made = await endOf(run, job);
  run.traces.holds(job.side, made.itemId);
  if (!job.stays) await run.gates.leave(run.end(job.side), 'export');
  return made;
}

async function endOf(run: TransferRun, job: ExportJob): Promise<ExportedPackage> {
  const portal = known(run.facts, job.side);
  const { started } = job;
  if (started.kind === 'nothing') throw refusal('INTERNAL', 'an export without a package was waited for');
  if (started.kind === 'package')
    return { itemId: started.packageItemId, isMarked: false, detail: 'the portal answered at once' };
  const marks = run.sharesSteps;
  const ended = await waitForJob(run, { ...job, started, marks });
  const { packageItemId, status, polls, done, skipped, failed } = ended;
  if (!packageItemId) {
    throw refusal(
      'BAD_RESPONSE',
      `${portal.name} ended its ${job.name} job as "${status}" without a package`,
    );
  }
  const lists = `${done} exported, ${skipped} skipped, ${failed} failed`;
  return {
    itemId: packageItemId,
    isMarked: marks,
    polls,
    detail: done + skipped + failed === 0 ? 'the package is ready' : lists,
  };
}

/** An export under its gate: noted as open from the post on, until its end is seen. */
export async function startExport(
  run: TransferRun,
  job: Pick<ExportJob, 'name' | 'side' | 'stays'>,
  more: Pick<StartExport, 'items' | 'itemList' | 'leavesOut' | 'planRef' | 'round' | 'part'>,
): Promise<ExportStarted> {
  const { name, side } = job;
  const portal = known(run.facts, side);
  const { runId } = run.input;
  await run.gates.enter(run.end(side), 'export');
  run.traces.writesOn(side);
  run.traces.opens({ name, side, startedAt: Date.now() });
  try {
    const started = await writing(`${name} ${side === 'source' ? 'from' : 'on'} ${portal.name}`).startExport({
      runId,
      purpose: name,
      portal,
      groupId: run.end(side).groupId,
      decisions: run.parks || undefined,
      ...more,
    });
    if (started.kind !== 'job') run.traces.closes(job);
    if (started.kind === 'nothing' && !job.stays) await run.gates.leave(run.end(side), 'export');
    return started;
  } catch (thrown) {
    if (!mayHaveBegun(thrown, run.route)) run.traces.closes(job);
    throw thrown;
  }
}

/** Marks a package as ours, for whoever finds it later. */
export async function markPackage(
  run: TransferRun,
  side: 'source' | 'target',
  { itemId, isMarked }: ExportedPackage,
): Promise<void> {
  if (isMarked) return;
  const portal = known(run.facts, side);
  const { runId } = run.input;
  run.warn(await writing(`package on ${portal.name} is tagged`).tagPackage({ runId, portal, itemId }));
}
