import { watching } from './activity-options';
import type { Phase } from './phase';
import type { Run } from './run';

/** A backup takes minutes, and what changed during it is saved soon after. @format milliseconds */
const FIRST_LOOK_MS = 2_000;

/** Waits until another run has ended. It may have read a group before that changed. */
export const afterRun = (after: string | undefined): Phase<Run>[] =>
  after === undefined
    ? []
    : [
        {
          name: 'wait-run',
          async run() {
            await watching(`whether ${after} is still open`).watchRun({
              runId: after,
              firstMs: FIRST_LOOK_MS,
            });
            return { detail: `${after} has ended` };
          },
        },
      ];
