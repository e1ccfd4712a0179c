import { ContinueAsNew, isCancellation } from '@temporalio/workflow';
import { errorRecordOf } from './failure';
import { mayPark, park } from './parking';
import type { Phase, PhaseEnd } from './phase';
import type { Run } from './run';

/** Walks the phases in their order until one says that nothing is left to do. Returns whether it ended well. */
export async function walk<R extends Run>(run: R, phases: readonly Phase<R>[]): Promise<boolean> {
  let next: number | undefined = 0;
  while (next !== undefined && next < phases.length) {
    const { then, error }: PhaseEnd = await stepOrPark(run, phases[next] as Phase<R>);
    if (error) {
      run.fail(error);
      return false;
    }
    next = then === 'end' ? undefined : then ? phases.findIndex(({ name }) => name === then) : next + 1;
  }
  return true;
}

/** A phase that fails where a person can help waits for one, and says with which phase to go on. */
async function stepOrPark<R extends Run>(run: R, phase: Phase<R>): Promise<PhaseEnd> {
  try {
    return await step(run, phase);
  } catch (thrown) {
    if (thrown instanceof ContinueAsNew || !mayPark(run, thrown)) throw thrown;
    return { then: await park(run, phase, thrown) };
  }
}

/** One phase: its record, its search attribute, and the run's record in the store at its end. */
export async function step<R extends Run>(run: R, phase: Phase<R>): Promise<PhaseEnd> {
  const record = run.enterPhase(phase);
  try {
    const end = await phase.run(run);
    const { status = 'done', detail = record.detail, attempts = record.attempts } = end;
    await run.leavePhase(phase, { status, detail, attempts });
    return end;
  } catch (thrown) {
    // The execution goes on as another one, in this very phase.
    if (thrown instanceof ContinueAsNew) throw thrown;
    const detail = isCancellation(thrown) ? 'cancelled' : errorRecordOf(thrown, run.route).message;
    await run.leavePhase(phase, { status: 'failed', detail });
    throw thrown;
  }
}
