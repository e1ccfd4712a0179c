import { z } from 'zod';
import { runRow } from '../run/run-view';

/** A page of runs, as it is told to whoever asks from elsewhere. */
export const runsPage = z.object({
  runs: z.array(runRow),
  next: z.string().optional().describe('cursor of older ones'),
  unread: z.literal(true).optional().describe('`next` is where it was given up to read records'),
  notes: z
    .array(z.string())
    .optional()
    .describe('what has to be known of where they come from, such as that Temporal does not answer'),
});

/** Title of the problem where no item is left that a retry could bring. */
export const NOTHING_TO_RETRY = 'NOTHING_TO_RETRY';

/** What a header can hold of a request id: `Idempotency-Key`. Others come beside it. */
export const HEADER_KEY = /^[\x21-\x7e]{1,200}$/;
