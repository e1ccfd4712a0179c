import { z } from 'zod';
import { settledAs } from './verification';

/** Result of an earlier run for an item that is unchanged since. */
const settledItem = z.object({
  runId: z.string(),
  as: z.enum(settledAs),
  /** Why it was kept or skipped. */
  reason: z.string().optional(),
  /** The mark of its record on the target, where it has one. */
  onTarget: z.string().optional(),
  /** That run, or one before it, found something wrong with it. @default false */
  hasFindings: z.boolean().optional(),
});
export type SettledItem = z.infer<typeof settledItem>;

/** An item of the source group as it was listed when the run started. */
export const requestedItem = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  size: z.number().optional(),
  modified: z.number().optional(),
  /** Who owned it, where the run decides by that who owns it on the target. */
  owner: z.string().optional(),
  url: z.string().optional(),
  typeKeywords: z.array(z.string()).optional(),
  /** Why an export leaves it out; absent where it takes it or the portal has to say. */
  skip: z.string().optional(),
  /** The route leaves it out, whatever its type; `skip` says why. */
  excluded: z.boolean().optional(),
  /** Id of the source's group that configures it: an app's data names it. */
  group: z.string().optional(),
  /** Why an export may leave it out; the portal decides. Absent where that is sure either way. */
  doubt: z.string().optional(),
  /** What tells its record from another of the same item; absent where that says nothing of when it was changed. */
  mark: z.string().optional(),
  /** A run of before has settled it, and neither side has touched it since: it goes nowhere. */
  same: settledItem.optional(),
  /** The run since which it was changed on the target alone. */
  drifted: z.string().optional(),
  /** A hosted feature service: its layers are counted. */
  hosted: z.boolean().optional(),
  /** What it was seen to weigh in packages of earlier runs; absent where none has shown it. @format bytes */
  bytes: z.number().optional(),
  /** Index of its package, from 0. */
  packageIndex: z.number().int().nonnegative(),
});
export type RequestedItem = z.infer<typeof requestedItem>;

/** What the route leaves out of the requested items, by their ids, and why. */
export const excludedAmong = (items: readonly RequestedItem[]): Map<string, string> =>
  leftOutAmong(items.filter(({ excluded }) => excluded));

/** What is left out of them by the route or for what it is, by their ids, and why. */
export const leftOutAmong = (items: readonly RequestedItem[]): Map<string, string> =>
  new Map(
    items.flatMap(({ itemId, excluded, skip }) => (skip || excluded ? [[itemId, skip ?? 'excluded']] : [])),
  );

/** In how many packages they go. */
export const partsOf = (items: readonly RequestedItem[]): number =>
  items.reduce((most, { packageIndex }) => Math.max(most, packageIndex + 1), 1);

/** What the source group's listing came to. */
export interface Requested {
  readonly count: number;
  /** Of `count`, those that an export leaves out by their type. */
  readonly skipped: number;
  readonly hosted: number;
  /** Of `count`, those that stay where they are, since nobody has touched them. @default 0 */
  readonly same?: number;
  /** Of `same`, those with findings of earlier runs. @default 0 */
  readonly withFindings?: number;
  /** Why unchanged items are transferred too, if the route or starter wants it. */
  readonly whole?: string;
  /** In the whole group, also where only some are requested. */
  readonly inGroup: number;
  /** What goes weighs so much, as far as that is known. @format bytes */
  readonly knownBytes: number;
  /** What goes is known to weigh more than one package may. @default false */
  readonly isOverLimit?: boolean;
}

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
