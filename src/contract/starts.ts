import { z } from 'zod';
import { runRecord } from '../model/run/run';

/** What a run in place of an earlier one reuses, and what it redoes. */
export const takeoverView = z.object({
  parent: runRecord,
  verb: z.string().describe('`restarts`, `retries 3 items of`'),
  reuses: z.array(z.string()).readonly(),
  redoes: z.array(z.string()).readonly(),
  notes: z.array(z.string()).readonly(),
});
export type Takeover = Readonly<z.infer<typeof takeoverView>>;
