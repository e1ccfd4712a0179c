import { z } from 'zod';

/** What a guard answers: it saw this, it needs that, and this is what to do. */
export const guardResult = z.object({
  /** Short name, such as `version` or `disk on production`. */
  name: z.string(),
  verdict: z.enum(['pass', 'refuse', 'unknown']),
  /** What was seen, in words for people. */
  saw: z.string(),
  /** What is needed; on refuse and unknown. */
  needs: z.string().optional(),
  /** What to do; on refuse and unknown. */
  todo: z.string().optional(),
  /** Error code of a refusal; decides the exit status. */
  code: z.string().optional(),
});
export type GuardResult = z.infer<typeof guardResult>;
