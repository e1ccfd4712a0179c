import { isCancellation } from '@temporalio/workflow';
import type { Side } from '../../model/transfer/guard-steps';
import type { JobOutcome } from '../../model/transfer/job';
import { polling, reading } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import { holds, type OpenJob, openJobs, sideOf } from '../run/memory';
import { lookAtTarget } from './results';
import type { TransferRun } from './transfer-run';

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
  { name, packageIndex, jobId, sealedKey, startedAt }: OpenJob & { readonly jobId: string },
): Promise<JobOutcome> {
  const portal = run.need(sideOf(name));
  const { jobDeadlineMs } = run.route.options;
  run.work.jobs[name] = { name, packageIndex, jobId, sealedKey, startedAt };
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
        deadlineAt: Math.max(startedAt, run.work.jobDeadlineFrom) + jobDeadlineMs,
        maker: { name: portal.name, release: portal.release, username: portal.username },
      }),
    );
    run.work.jobs[name] = undefined;
    run.warn(outcome.unmarked);
    return outcome;
  } catch (thrown) {
    if (!isCancellation(thrown) && isOver.has(errorRecordOf(thrown, run.route).code))
      run.work.jobs[name] = undefined;
    throw thrown;
  }
}

/**
 * At the end of a run, waits once more for jobs that may be running, because they cannot be stopped and what they made
 * must be removed. After `cancel --now`, or if its ID is unknown, a job is left and recorded.
 */
export async function settleJobs(run: TransferRun, isPatient: boolean): Promise<void> {
  const leftRunning = [...run.state.leftRunning];
  for (const job of openJobs(run.work)) {
    const { name, jobId } = job;
    const side = sideOf(name);
    if (isPatient && !run.answers.hurry && jobId !== undefined) {
      run.work.jobDeadlineFrom = Date.now();
      try {
        const { packageItemId } = await waitForJob(run, { ...job, jobId });
        if (packageItemId) holds(run.work, side, packageItemId);
        if (name === 'import') await lookAtTarget(run);
        continue;
      } catch (thrown) {
        if (!isCancellation(thrown)) run.warn(errorRecordOf(thrown, run.route).message);
      }
    }
    if (!run.work.jobs[name]) continue;
    const which = jobId === undefined ? 'with unknown ID' : jobId;
    leftRunning.push(`${name} job ${which} on ${run.end(side).portal}`);
  }
  run.show({ leftRunning });
}
