import { z } from 'zod';

/** What the last run that dealt with an item came to, as far as the listings of both groups do not show it. */
export const outcome = z.object({
  runId: z.string(),
  /** It was imported: what both portals said of it then. @format milliseconds since the epoch */
  imported: z.object({ source: z.number().optional(), target: z.number().optional() }).optional(),
  /** The source left it out of its export, by its type. */
  skipped: z.object({ type: z.string(), reason: z.string().optional() }).optional(),
});
export type Outcome = z.infer<typeof outcome>;

/** Kept in the store per route and target group, by item id. */
export const outcomes = z.record(z.string(), outcome);
export type Outcomes = z.infer<typeof outcomes>;
