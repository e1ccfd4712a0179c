import { z } from 'zod';
import { finding } from './verification';

/** What a run has made of an item for good: brought, left on the target by the route's options, or left out by the portal. */
export const settledAs = ['imported', 'kept', 'skipped'] as const;

/** An item as a run left it on both sides: as long as all of this is still so, another run would come to the same. */
export const settled = z.object({
  as: z.enum(settledAs),
  /** Why it was kept or skipped. */
  reason: z.string().optional(),
  /** What was in force: options, portals and their releases. */
  terms: z.string(),
  /** Marks of what the source showed before its export, and of what the target showed afterwards. */
  source: z.string(),
  target: z
    .object({
      record: z.string(),
      layers: z.string().optional(),
      /** Of an item with findings: how it stood at the end of the run. */
      stands: z.string().optional(),
    })
    .optional(),
  /** What verification found wrong with it. @default nothing */
  findings: z.array(finding).optional(),
});
export type Settled = z.infer<typeof settled>;

/** What the last run that dealt with an item came to, as far as the listings of both groups do not show it. */
export const outcome = z.object({
  runId: z.string(),
  /** It was imported: what both portals said of it then. @format milliseconds since the epoch */
  imported: z.object({ source: z.number().optional(), target: z.number().optional() }).optional(),
  /** The source left it out of its export, by its type. */
  skipped: z.object({ type: z.string(), reason: z.string().optional() }).optional(),
  /** What it weighed in packages, where its record does not tell that; absent where none has shown it. @format bytes */
  bytes: z.number().optional(),
  /** Absent if that cannot be known. */
  settled: settled.optional(),
});
export type Outcome = z.infer<typeof outcome>;

/** Kept in the store per route and target group, by item id. */
export const outcomes = z.record(z.string(), outcome);
export type Outcomes = z.infer<typeof outcomes>;
