import { ContinueAsNew, isCancellation } from '@temporalio/workflow';
import { continueRun, isLong } from './continue';
import { errorRecordOf } from './failure';
import { mayPark, park } from './parking';
import type { PhaseName } from '../../model/run/phase';
import type { Phase, PhaseEnd } from './phase';
import type { Run } from './run';

/**
 * Runs the phases in order until one says that nothing is left to do, starting where an earlier execution stopped. If
 * the history is long, continues as new. Returns whether none ended with an error.
 */
export async function walk<R extends Run>(run: R, phases: readonly Phase<R>[]): Promise<boolean> {
  const indexOf = (name: PhaseName | undefined): number => phases.findIndex((each) => each.name === name);
  let next: number | undefined = Math.max(0, indexOf(run.memory.at));
  while (next !== undefined && next < phases.length) {
    const { then, error }: PhaseEnd = await stepOrPark(run, phases[next] as Phase<R>);
    if (error) {
      run.fail(error);
      return false;
    }
    next = then === 'end' ? undefined : then ? indexOf(then) : next + 1;
    run.memory.at = next === undefined ? undefined : phases[next]?.name;
    if (run.memory.at !== undefined && isLong()) await continueRun(run);
  }
  return true;
}

/** Runs a phase. If it fails and a person can help, parks and returns the phase to resume with. */
async function stepOrPark<R extends Run>(run: R, phase: Phase<R>): Promise<PhaseEnd> {
  try {
    return await step(run, phase);
  } catch (thrown) {
    if (thrown instanceof ContinueAsNew || !mayPark(run, thrown)) throw thrown;
    return { then: await park(run, phase, thrown) };
  }
}

/** Runs one phase, and saves the run's record at its end. */
export async function step<R extends Run>(run: R, phase: Phase<R>): Promise<PhaseEnd> {
  const record = run.enterPhase(phase);
  try {
    const end = await phase.run(run);
    const { status = 'done', detail = record.detail, attempts = record.attempts } = end;
    await run.leavePhase(phase, { status, detail, attempts });
    return end;
  } catch (thrown) {
    // The next execution continues in this phase.
    if (thrown instanceof ContinueAsNew) throw thrown;
    const detail = isCancellation(thrown) ? 'cancelled' : errorRecordOf(thrown, run.route).message;
    await run.leavePhase(phase, { status: 'failed', detail });
    throw thrown;
  }
}
