import { z } from 'zod';
import { snapshotShown, unreadableSnapshot } from './snapshot-view';

const count = z.number().int().min(0).max(1_000_000).optional();

/** Retention rules. */
export const keepRules = z.strictObject({
  last: count,
  hourly: count,
  daily: count,
  weekly: count,
  monthly: count,
  yearly: count,
  withinMs: z.number().int().min(0).optional().describe('all within this time of the newest'),
  tags: z.array(z.string().min(1).max(200)).max(100).optional().describe('all with one of these tags'),
});

/** Selection: named snapshots, or those of a route that no rule keeps. */
export const forgetRequest = z.strictObject({
  snapshots: z.array(z.string().min(1).max(300)).min(1).max(500).optional().describe('IDs or suffixes'),
  route: z.string().min(1).max(200).optional().describe('instead of names'),
  keep: keepRules.optional().describe('default: `backup.keep` of the route'),
  safeguards: z.boolean().optional().describe('only expired safeguards of the route'),
});
export type ForgetRequest = z.infer<typeof forgetRequest>;

/** Options of a forget. */
export const forgetHow = z.strictObject({
  dryRun: z.boolean().default(false).describe('only show what would be forgotten and kept'),
  seen: z
    .string()
    .max(64)
    .optional()
    .describe('`seen` of a dry run: nothing is forgotten if the decisions would differ now'),
});
export type ForgetHow = z.input<typeof forgetHow>;

/** A package of a forgotten snapshot that stays because kept snapshots need it. */
const neededPackage = z.object({
  sha256: z.string(),
  sizeBytes: z.number(),
  of: z.array(z.string()).readonly().describe('snapshots to forget that use it'),
  neededBy: z.array(z.string()).readonly().describe('kept snapshots that use it'),
});

/** The decisions and the result. */
export const forgetting = z.object({
  decisions: z
    .array(snapshotShown.extend({ keep: z.boolean(), reasons: z.array(z.string()).readonly() }))
    .readonly()
    .describe('newest first'),
  unreadable: z.array(unreadableSnapshot.extend({ keep: z.boolean() })).readonly(),
  neededPackages: z.array(neededPackage).readonly(),
  dryRun: z.boolean(),
  result: z
    .object({
      forgotten: z.array(z.string()).readonly(),
      packages: z.number().describe('packages no snapshot uses any more, deleted'),
      freedBytes: z.number(),
      leftovers: z.array(z.string()).readonly().describe('files of attempts that never became a snapshot'),
      notes: z.array(z.string()).readonly(),
    })
    .optional()
    .describe('absent if there was nothing to do'),
});
export type Forgetting = z.infer<typeof forgetting>;

/** The same, with what the confirmation needs. */
export const forgettingSeen = forgetting.extend({
  seen: z.string().describe('identifies these decisions'),
  notes: z.array(z.string()).readonly().describe('warnings'),
});
export type ForgettingSeen = z.infer<typeof forgettingSeen>;
