import { z } from 'zod';
import { snapshotShown, unreadableSnapshot } from './snapshot-view';

const count = z.number().int().min(0).max(1_000_000).optional();

/** Rules by which snapshots stay. */
export const keepRules = z.strictObject({
  ...{ last: count, hourly: count, daily: count, weekly: count, monthly: count, yearly: count },
  withinMs: z.number().int().min(0).optional().describe('all that are so much younger than the newest'),
  tags: z.array(z.string().min(1).max(200)).max(100).optional().describe('all that carry one of them'),
});

/** What is to be forgotten: those that are named, or those of a route that no rule keeps. */
export const forgetRequest = z.strictObject({
  snapshots: z.array(z.string().min(1).max(300)).min(1).max(500).optional().describe('ids, or ends of them'),
  route: z.string().min(1).max(200).optional().describe('in place of names'),
  keep: keepRules.optional().describe('by default `backup.keep` of the route'),
  safeguards: z.boolean().optional().describe('of the route, only safeguards whose time is over'),
});
export type ForgetRequest = z.infer<typeof forgetRequest>;

/** How much of it is done. */
export const forgetHow = z.strictObject({
  dryRun: z.boolean().default(false).describe('only says what would go, and stay'),
  seen: z
    .string()
    .max(64)
    .optional()
    .describe('`seen` of a dry run: where something else would go by now, nothing does'),
});
export type ForgetHow = z.input<typeof forgetHow>;

/** A package of a snapshot that goes, which stays since others that stay need it. */
const neededPackage = z.object({
  sha256: z.string(),
  sizeBytes: z.number(),
  of: z.array(z.string()).readonly().describe('snapshots that name it and go'),
  neededBy: z.array(z.string()).readonly().describe('snapshots that name it and stay'),
});

/** What stays and what goes, and what came of it. */
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
      packages: z.number().describe('packages that no snapshot names any more, and are removed'),
      freedBytes: z.number(),
      leftovers: z.array(z.string()).readonly().describe('what an attempt left that never became a snapshot'),
      notes: z.array(z.string()).readonly(),
    })
    .optional()
    .describe('absent where nothing was to be done'),
});
export type Forgetting = z.infer<typeof forgetting>;

/** The same, with what whoever is asked for a yes has to know. */
export const forgettingSeen = forgetting.extend({
  seen: z.string().describe('stands for what goes'),
  notes: z.array(z.string()).readonly().describe('what has to be known of it'),
});
export type ForgettingSeen = z.infer<typeof forgettingSeen>;
