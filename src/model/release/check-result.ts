import { z } from 'zod';

/** Most checks of a stage; the record of each promotion keeps their output. */
export const CHECKS_MAX = 20;

/** The result of a stage check. */
export const checkResult = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed']),
  problem: z.string().optional().describe('failure of the last attempt'),
  tries: z.number().describe('attempts'),
  tookMs: z.number().describe('all attempts and pauses'),
  output: z
    .object({
      stdout: z.string().optional(),
      stderr: z.string().optional(),
      answer: z.string().optional().describe('start of the response body'),
    })
    .describe('last 4 KB of the last attempt; likely secrets masked'),
});
export type CheckResult = z.infer<typeof checkResult>;

/** A check still to run. */
export interface DueCheck {
  readonly name: string;
  /** Limit of all its attempts and pauses together. @format milliseconds */
  readonly longestMs: number;
}
