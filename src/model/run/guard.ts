import { z } from 'zod';

/** The result of a preflight check: what it saw, what is needed, and how to fix it. */
export const guardResult = z.object({
  name: z.string().describe('such as `version` or `disk on production`'),
  verdict: z.enum(['pass', 'refuse', 'unknown']),
  saw: z.string().describe('observation, for people'),
  needs: z.string().optional().describe('requirement, unless passed'),
  todo: z.string().optional().describe('fix, unless passed'),
  isNews: z.boolean().optional().describe('passes, but worth reporting'),
  code: z.string().optional().describe('[error code](errors.md) of a refusal'),
});
export type GuardResult = z.infer<typeof guardResult>;
