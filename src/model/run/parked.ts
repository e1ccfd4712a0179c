import { z } from 'zod';

/** Why a run is parked, what it keeps meanwhile, and the commands that end it. */
export const parkedRecord = z.object({
  phase: z.string(),
  at: z.string(),
  until: z.string().describe('when the run fails if no one decides'),
  count: z.number().describe('times parked so far'),
  code: z.string(),
  reason: z.string(),
  evidence: z
    .array(z.string())
    .describe('state when it parked: portal message, free disk space, changes on the target'),
  held: z.array(z.string()).describe('everything the run keeps meanwhile'),
  reuses: z.array(z.string()).describe('what a resume reuses'),
  redoes: z.array(z.string()).describe('what a resume repeats'),
  commands: z.array(z.string()).describe('commands to type, most likely first'),
  refusals: z.number().describe('resumes refused so far'),
});
export type ParkedRecord = z.infer<typeof parkedRecord>;
