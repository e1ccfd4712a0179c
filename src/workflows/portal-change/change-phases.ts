import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { ChangeInput } from '../../model/portal-change/change';
import { routeOfChange } from '../../model/portal-change/change-route';
import type { RunKind } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { mayHaveBegun } from '../run/failure';
import { type Phase, phase, type PhaseEnd } from '../run/phase';
import { Run } from '../run/run';
import { runToEnd } from '../run/run-to-end';

/** How a step ended: one line for people, and whether nothing is left to do. */
interface StepEnd {
  readonly detail: string;
  readonly isAll?: boolean;
}

/** The steps of a portal change. */
export interface ChangeSteps {
  /** Reads the current values and their differences; saves the previous ones in the store. */
  read(run: Run): Promise<StepEnd>;
  /** Writes once. */
  write(run: Run): Promise<StepEnd>;
  /** Reads back what was written, because a portal may report success but keep the old value. */
  check(run: Run): Promise<StepEnd>;
}

/** Changes a portal. Short and not cancelled halfway, so that every write is checked. */
export async function changePortal(
  name: RunKind,
  input: ChangeInput,
  { read, write, check }: ChangeSteps,
): Promise<RunState> {
  const phases: Phase<Run>[] = [
    phase({
      name: 'read',
      async run(run: Run): Promise<PhaseEnd> {
        const { detail, isAll } = await read(run);
        return { detail, then: isAll ? 'end' : undefined };
      },
    }),
    phase({
      name: 'write',
      async run(run: Run): Promise<PhaseEnd> {
        if (CancellationScope.current().consideredCancelled)
          throw new CancelledFailure('cancelled before anything was written');
        run.show({ target: 'unknown' });
        try {
          const { detail } = await CancellationScope.nonCancellable(() => write(run));
          run.show({ target: 'changed' });
          return { detail };
        } catch (thrown) {
          if (run.state.target === 'unknown' && !mayHaveBegun(thrown, run.route))
            run.show({ target: 'untouched' });
          throw thrown;
        }
      },
    }),
    phase({ name: 'check', run: (run: Run) => CancellationScope.nonCancellable(() => check(run)) }),
  ];
  const run = new Run({ name, verdict }, { ...input, route: routeOfChange(input) });
  return await runToEnd(run, phases);
}

const verdict = ({ state }: Run) => (state.target === 'untouched' ? 'nothing-to-do' : 'succeeded');
