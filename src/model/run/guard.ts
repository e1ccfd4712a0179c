import { z } from 'zod';

/** What a guard answers: it saw this, it needs that, and this is what to do. */
export const guardResult = z.object({
  name: z.string().describe('short, such as `version` or `disk on production`'),
  verdict: z.enum(['pass', 'refuse', 'unknown']),
  saw: z.string().describe('what was seen, in words for people'),
  needs: z.string().optional().describe('what is needed; on `refuse` and `unknown`'),
  todo: z.string().optional().describe('what to do; on `refuse` and `unknown`'),
  isNews: z.boolean().optional().describe('it passes, and is worth a line of its own'),
  code: z.string().optional().describe('[code](errors.md) of a refusal; decides the exit status'),
});
export type GuardResult = z.infer<typeof guardResult>;
