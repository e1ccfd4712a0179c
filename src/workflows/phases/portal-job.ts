import { isCancellation } from '@temporalio/workflow';
import type { JobHandle, JobOutcome } from '../../model/transfer/job';
import { polling } from '../run/calls';
import { have, type OpenJob } from '../run/context';
import { errorRecordOf } from '../run/failure';
import { lookAtTarget } from './ledger';
import type { Run } from '../run/run';

export interface WaitedJob {
  readonly name: OpenJob['name'];
  readonly side: OpenJob['side'];
  readonly started: JobHandle & { readonly startedAt: number };
}

/** After these nothing of the job is left that could still do something. */
const isOver: ReadonlySet<string> = new Set(['JOB_FAILED', 'JOB_LOST']);

/**
 * Waits for a job on a portal until the route's deadline. A job that is given up, or left by somebody in a hurry,
 * stays noted as open.
 */
export async function waitForJob(run: Run, { name, side, started }: WaitedJob): Promise<JobOutcome> {
  const portal = have(run.context, side);
  const { jobDeadlineMs } = run.route.options;
  const { jobId, sealedKey, startedAt } = started;
  const job: OpenJob = { name, side, jobId, sealedKey, startedAt };
  noteOpen(run, job);
  try {
    const outcome = await run.patiently(() =>
      polling(`${name} job on ${portal.name}`, jobDeadlineMs).pollJob({
        runId: run.input.runId,
        portal: portal.name,
        portalId: portal.portalId,
        name,
        jobId,
        sealedKey,
        startedAt,
        deadlineAt: Math.max(startedAt, run.context.patienceSince ?? 0) + jobDeadlineMs,
      }),
    );
    noteOver(run, job);
    return outcome;
  } catch (thrown) {
    if (!isCancellation(thrown) && isOver.has(errorRecordOf(thrown, run.route).code)) noteOver(run, job);
    throw thrown;
  }
}

/** Jobs are told apart by what they are for: at most one of each is under way. */
export function noteOpen(run: Run, job: OpenJob): void {
  noteOver(run, job);
  run.context.openJobs.push(job);
}

export function noteOver(run: Run, { name, side }: Pick<OpenJob, 'name' | 'side'>): void {
  const { openJobs } = run.context;
  const at = openJobs.findIndex((open) => open.name === name && open.side === side);
  if (at >= 0) openJobs.splice(at, 1);
}

/**
 * At the end of a run: a job that may still run is waited for once more, since it cannot be called back, and what
 * it made is to be removed. In a hurry, or where nobody knows its name, it is left and the record says so.
 */
export async function settleJobs(run: Run, isPatient: boolean): Promise<void> {
  for (const job of [...run.context.openJobs]) {
    const { name, side, jobId, sealedKey, startedAt } = job;
    if (isPatient && !run.answers.hurry && jobId !== undefined) {
      run.context.patienceSince = Date.now();
      const started = { kind: 'job', jobId, sealedKey, startedAt } as const;
      try {
        const { packageItemId } = await waitForJob(run, { name, side, started });
        if (packageItemId) run.holds(side, packageItemId);
        if (name === 'import') await lookAtTarget(run);
        continue;
      } catch (thrown) {
        if (!isCancellation(thrown)) run.warn(errorRecordOf(thrown, run.route).message);
      }
    }
    if (!run.context.openJobs.some((open) => open.name === name && open.side === side)) continue;
    const which = jobId === undefined ? 'whose answer was lost' : jobId;
    run.state.leftRunning.push(`${name} job ${which} on ${run.end(side).portal}`);
  }
}
