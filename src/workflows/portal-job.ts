import type { JobHandle, JobOutcome } from '../model/job';
import { polling } from './calls';
import { have } from './carried';
import type { Run } from './run';

export interface WaitedJob {
  readonly name: 'export' | 'safeguard' | 'import';
  readonly side: 'source' | 'target';
  readonly started: JobHandle & { readonly startedAt: number };
}

/** Waits for a job on a portal until the route's deadline. */
export async function waitForJob(run: Run, { name, side, started }: WaitedJob): Promise<JobOutcome> {
  const portal = have(run.carried, side);
  const { jobDeadlineMs } = run.route.options;
  const { jobId, sealedKey, startedAt } = started;
  return await polling(`${name} job on ${portal.name}`, jobDeadlineMs).pollJob({
    runId: run.input.runId,
    portal: portal.name,
    portalId: portal.portalId,
    name,
    jobId,
    sealedKey,
    startedAt,
    deadlineAt: startedAt + jobDeadlineMs,
  });
}
