import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { ChangeInput } from '../../model/portal-change/change';
import { routeOfChange } from '../../model/portal-change/change-route';
import type { RunKind } from '../../model/run/run';
import { defineRun } from '../run/define-run';
import { known } from '../run/memory';
import { mayHaveBegun } from '../run/failure';
import type { Memory } from '../run/memory';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';

/** How a step ended: one line for people. */
interface StepEnd {
  readonly detail: string;
}

/** The steps of a portal change. */
export interface ChangeSteps<Found> {
  /** Reads the current values; saves the previous ones in the store. Returns what to write, if anything differs. */
  read(run: Run): Promise<StepEnd & { readonly found?: Found | undefined }>;
  /** Writes once. */
  write(run: Run, found: Found): Promise<StepEnd>;
  /** Reads back what was written, because a portal may report success but keep the old value. */
  check(run: Run, found: Found): Promise<StepEnd>;
}

/** An open change of a portal. */
class ChangeRun<Found> extends Run<{ found?: Found | undefined }> {
  constructor(kind: Kind<ChangeRun<Found>>, input: ChangeInput, memory?: Memory) {
    super(kind, { ...input, route: routeOfChange(input) }, memory, {});
  }
}

/** Makes the workflow of a change of a portal. Short and not cancelled halfway, so that every write is checked. */
export const defineChange = <Input extends ChangeInput, Found>(
  name: RunKind,
  steps: (input: Input) => ChangeSteps<Found>,
) =>
  defineRun<Input, ChangeRun<Found>>({ name, verdict }, ChangeRun, (input) => {
    const { read, write, check } = steps(input);
    return [
      {
        name: 'read',
        async run(run) {
          const { detail, found } = await read(run);
          run.own.found = found;
          return { detail, then: found === undefined ? 'end' : undefined };
        },
      },
      {
        name: 'write',
        async run(run) {
          if (CancellationScope.current().consideredCancelled)
            throw new CancelledFailure('cancelled before anything was written');
          run.show({ target: 'unknown' });
          try {
            const found = known(run.own, 'found');
            const { detail } = await CancellationScope.nonCancellable(() => write(run, found));
            run.show({ target: 'changed' });
            return { detail };
          } catch (thrown) {
            if (run.state.target === 'unknown' && !mayHaveBegun(thrown, run.route))
              run.show({ target: 'untouched' });
            throw thrown;
          }
        },
      },
      {
        name: 'check',
        run: (run) => CancellationScope.nonCancellable(() => check(run, known(run.own, 'found'))),
      },
    ];
  });

const verdict = ({ state }: Run) => (state.target === 'untouched' ? 'nothing-to-do' : 'succeeded');
