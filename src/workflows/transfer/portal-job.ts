import { isCancellation } from '@temporalio/workflow';
import type { Side } from '../../model/transfer/guard-steps';
import type { JobHandle, JobOutcome } from '../../model/transfer/job';
import { polling, reading } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import type { OpenJob } from '../run/portal-work';
import { lookAtTarget } from './results';
import type { TransferRun } from './transfer-run';

interface WaitedJob {
  readonly name: OpenJob['name'];
  readonly side: OpenJob['side'];
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  readonly started: JobHandle & { readonly startedAt: number };
}

/** Whether a package item is there, and its size. */
export async function findPackage(run: TransferRun, side: Side, itemId: string) {
  const portal = run.need(side);
  return await reading('package', portal.name).findPackage({ portal, itemId });
}

/** After these errors the job can no longer do anything. */
const isOver: ReadonlySet<string> = new Set(['JOB_FAILED', 'DISK_FULL', 'PACKAGE_TOO_LARGE', 'JOB_LOST']);

/**
 * Waits for a portal job until the route's deadline. A job that is given up, or abandoned by `cancel --now`, stays
 * recorded as open.
 */
export async function waitForJob(
  run: TransferRun,
  { name, side, packageIndex, started }: WaitedJob,
): Promise<JobOutcome> {
  const portal = run.need(side);
  const { jobDeadlineMs } = run.route.options;
  const { jobId, sealedKey, startedAt } = started;
  const job: OpenJob = { name, side, packageIndex, jobId, sealedKey, startedAt };
  run.portalWork.opens(job);
  try {
    const outcome = await run.untilJobEnds(() =>
      polling(`${name} job`, jobDeadlineMs, portal.name).pollJob({
        runId: run.input.runId,
        portal: portal.name,
        portalId: portal.portalId,
        name,
        packageIndex,
        jobId,
        sealedKey,
        startedAt,
        deadlineAt: Math.max(startedAt, run.portalWork.jobDeadlineFrom) + jobDeadlineMs,
        maker: { name: portal.name, release: portal.release, username: portal.username },
      }),
    );
    run.portalWork.closes(job);
    run.warn(outcome.unmarked);
    return outcome;
  } catch (thrown) {
    if (!isCancellation(thrown) && isOver.has(errorRecordOf(thrown, run.route).code))
      run.portalWork.closes(job);
    throw thrown;
  }
}

/**
 * At the end of a run, waits once more for jobs that may be running, because they cannot be stopped and what they made
 * must be removed. After `cancel --now`, or if its ID is unknown, a job is left and recorded.
 */
export async function settleJobs(run: TransferRun, isPatient: boolean): Promise<void> {
  const leftRunning = [...run.state.leftRunning];
  for (const job of run.portalWork.openJobs) {
    const { name, side, packageIndex, jobId, sealedKey, startedAt } = job;
    if (isPatient && !run.answers.hurry && jobId !== undefined) {
      run.portalWork.restartJobDeadline();
      const started = { kind: 'job', jobId, sealedKey, startedAt } as const;
      try {
        const { packageItemId } = await waitForJob(run, { name, side, packageIndex, started });
        if (packageItemId) run.portalWork.holds(side, packageItemId);
        if (name === 'import') await lookAtTarget(run);
        continue;
      } catch (thrown) {
        if (!isCancellation(thrown)) run.warn(errorRecordOf(thrown, run.route).message);
      }
    }
    if (!run.portalWork.openJobs.some((open) => open.name === name && open.side === side)) continue;
    const which = jobId === undefined ? 'with unknown ID' : jobId;
    leftRunning.push(`${name} job ${which} on ${run.end(side).portal}`);
  }
  run.show({ leftRunning });
}
