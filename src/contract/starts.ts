import { z } from 'zod';
import { beginnings } from '../model/run/phase';
import { runRecord } from '../model/run/run';
import { operation } from './operation';
import { run } from './runs';

/** What a run in place of an earlier one reuses, and what it redoes. */
export const takeoverView = z.object({
  parent: runRecord,
  verb: z.string().describe('`restarts`, `retries 3 items of`'),
  reuses: z.array(z.string()).readonly(),
  redoes: z.array(z.string()).readonly(),
  notes: z.array(z.string()).readonly(),
});
export type Takeover = Readonly<z.infer<typeof takeoverView>>;

/** What starts of runs would do. */
export const startOperations = {
  lookAtRestart: operation({
    at: 'GET /runs/:run/takeover',
    summary: 'Show what a restart of a run would redo and reuse, without starting it',
    input: z.strictObject({ run, from: z.enum(beginnings) }),
    answer: z.object({ takeover: takeoverView.optional() }),
    right: 'view',
    needs: 'temporal',
    // Only the portal knows whether an uploaded package still exists.
    turn: true,
  }),
};
