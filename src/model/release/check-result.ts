import { z } from 'zod';

/** Checks that a stage may have: what they say stays in the record of each promotion. */
export const CHECKS_MAX = 20;

/** What a check of a stage came to. */
export const checkResult = z.object({
  name: z.string().describe('as the stage names it'),
  status: z.enum(['passed', 'failed']),
  problem: z.string().optional().describe('of one that failed: what was seen when it was tried last'),
  tries: z.number().describe('how often it was tried'),
  tookMs: z.number().describe('over all tries, with the pauses between them'),
  output: z
    .object({
      stdout: z.string().optional(),
      stderr: z.string().optional(),
      answer: z.string().optional().describe('the beginning of what the URL answered'),
    })
    .describe('of the last try, the last 4 KB of each; what looks like a secret is masked'),
});
export type CheckResult = z.infer<typeof checkResult>;

/** A check before it is made. */
export interface DueCheck {
  readonly name: string;
  /** All its tries and pauses take no longer. @format milliseconds */
  readonly longestMs: number;
}
