import { z } from 'zod';
import { operation } from './operation';
import { run, type RunView, runView } from './runs';
import { statusView } from './status';

/** Live updates, each with the complete current state. */
export const liveOperations = {
  watchRun: operation({
    at: 'GET /runs/:run/live',
    summary: 'Watch a run: `run` events with what `/runs/RUN/view` returns, and `over` at its end',
    input: z.strictObject({ run }),
    answer: runView,
    right: 'view',
    // Without Temporal the store only has an older state, which is no progress.
    needs: 'temporal',
    watch: {
      event: 'run',
      everyMs: 1_000,
      isOver: ({ open }: RunView) => !open,
      meant: { by: 'viewRun', input: ({ record }: RunView) => ({ run: record.runId }) },
    },
  }),
  watchStatus: operation({
    at: 'GET /live',
    summary: 'Watch the overall status: a `status` event whenever it changes',
    input: z.strictObject({}),
    answer: statusView,
    right: 'view',
    needs: 'readable',
    // The status takes many reads.
    watch: { event: 'status', everyMs: 3_000 },
  }),
};
