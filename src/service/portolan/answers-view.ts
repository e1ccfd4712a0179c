import { z } from 'zod';
import { runRow } from '../run/run-view';

/** A page of runs, as it is told to whoever asks from elsewhere. */
export const runsPage = z.object({
  runs: z.array(runRow),
  next: z.string().optional().describe('cursor of the next page, with older entries'),
  unread: z.literal(true).optional().describe('the search stopped early; `next` continues it'),
  notes: z
    .array(z.string())
    .optional()
    .describe('warnings about the source, such as that Temporal cannot be reached'),
});

/** Title of the problem where no item is left that a retry could bring. */
export const NOTHING_TO_RETRY = 'NOTHING_TO_RETRY';

/** What a header can hold of a request id: `Idempotency-Key`. Others come beside it. */
export const HEADER_KEY = /^[\x21-\x7e]{1,200}$/;
