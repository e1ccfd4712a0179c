import { z } from 'zod';

/** An event of a run, from its Temporal history. */
export const runEvent = z.object({
  at: z.string().describe('ISO 8601, in UTC'),
  kind: z.enum(['step', 'message', 'problem', 'end']).describe('`problem`: a failure, retried or not'),
  subject: z.string().describe('activity and its object, or the run itself'),
  what: z.string(),
});
export type RunEvent = z.infer<typeof runEvent>;
