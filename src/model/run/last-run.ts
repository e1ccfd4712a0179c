import { z } from 'zod';

/** What the last finished run of a route left behind, kept in the store per route and target group. */
export const lastRun = z.object({
  runId: z.string(),
  endedAt: z.string(),
  /** Items that were requested. */
  requested: z.number(),
  /** The last run of the route in which everything went; absent where there was none since this is noted. */
  whole: z.object({ runId: z.string(), at: z.string() }).optional(),
  /** Target's `modified` of every item of the plan after the run, milliseconds since the epoch. */
  modified: z.record(z.string(), z.number()),
});
export type LastRun = z.infer<typeof lastRun>;
