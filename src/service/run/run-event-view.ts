import { z } from 'zod';

/** Something that happened to a run, as its history in Temporal tells it. */
export const runEvent = z.object({
  at: z.string().describe('ISO 8601, in UTC'),
  kind: z
    .enum(['step', 'message', 'problem', 'end'])
    .describe('`problem` is what failed, also where it was tried again'),
  subject: z.string().describe('what it is about: an activity with what it is for, or the run itself'),
  what: z.string(),
});
export type RunEvent = z.infer<typeof runEvent>;
