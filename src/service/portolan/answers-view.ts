import { runRow } from '../../contract/run-row';
import { z } from 'zod';

/** A page of runs, as the API returns it. */
export const runsPage = z.object({
  runs: z.array(runRow),
  next: z.string().optional().describe('cursor of the next page, with older entries'),
  unread: z.literal(true).optional().describe('the search stopped early; `next` continues it'),
  notes: z
    .array(z.string())
    .optional()
    .describe('warnings about the source, such as that Temporal cannot be reached'),
});
