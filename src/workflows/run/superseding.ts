import { reading } from './calls';
import type { Run } from './run';

/** A run that is started regularly ends what its predecessors left parked: nobody has come, and the night is new. */
export async function supersedeEarlier(run: Run): Promise<void> {
  const { scheduledBy, runId } = run.input;
  if (scheduledBy === undefined) return;
  const superseded = await reading('earlier runs that are parked').supersedeParked({
    runId,
    route: run.route.name,
    scheduledBy,
  });
  for (const earlier of superseded) run.warn(`supersedes ${earlier}, which was parked`);
}
