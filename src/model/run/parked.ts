import { z } from 'zod';

/** Why a run is parked, what it keeps meanwhile, and the commands that end it. */
export const parkedRecord = z.object({
  phase: z.string(),
  at: z.string(),
  until: z.string().describe('deadline for a decision'),
  count: z.number().describe('times parked so far'),
  code: z.string(),
  reason: z.string(),
  evidence: z.array(z.string()).describe('portal message, free disk space and the like'),
  held: z.array(z.string()).describe('kept meanwhile'),
  reuses: z.array(z.string()).describe('reused by a resume'),
  redoes: z.array(z.string()).describe('repeated by a resume'),
  commands: z.array(z.string()).describe('commands to try, best first'),
  refusals: z.number().describe('resumes refused so far'),
});
export type ParkedRecord = z.infer<typeof parkedRecord>;
