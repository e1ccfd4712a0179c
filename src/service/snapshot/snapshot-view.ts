import { z } from 'zod';
import {
  snapshotBase,
  snapshotConfirmation,
  snapshotKinds,
  snapshotManifest,
  snapshotPin,
  snapshotProof,
  snapshotRow,
  snapshotSource,
} from '../../model/snapshot/snapshot';

/** A snapshot in one line, for people and programs. */
export const snapshotShown = z.object({
  id: z.string(),
  kind: z.enum(snapshotKinds),
  route: z.string(),
  takenAt: z
    .string()
    .describe(
      "from when its age counts: the earlier of what its portal's clock said and ours when it was kept",
    ),
  ageMs: z.number(),
  items: z.number().describe('items that are saved in it'),
  requested: z.number().describe('items that its group had, or that were asked for'),
  sizeBytes: z.number().optional().describe('of all its packages; absent where there is none'),
  addedBytes: z
    .number()
    .optional()
    .describe('of `sizeBytes`, what it added to the store; the rest it shares with those on which it builds'),
  sha256: z.string().optional().describe('of the first package'),
  packages: z.number(),
  since: snapshotBase
    .optional()
    .describe('the snapshot on which it builds; absent where everything was exported'),
  complete: z.boolean(),
  good: z.boolean().describe('counts for retention and alarms: a backup that is complete and not empty'),
  tags: z.array(z.string()).readonly(),
  source: snapshotSource,
  scheduledBy: z.string().optional(),
  pin: snapshotPin.optional(),
  proof: snapshotProof.optional().describe('what showed last that it can be restored'),
  confirmedAt: z.string().optional().describe('when its group was last found as it is in it'),
  importedAt: z.string().optional().describe('when it came from another store'),
  clock: z
    .object({ clock: z.enum(['ahead', 'behind']), words: z.string() })
    .optional()
    .describe("where the portal's clock and ours disagree about it"),
  problems: z.array(z.string()).readonly().describe('what beside its manifest could not be read'),
});
export type SnapshotView = Readonly<z.infer<typeof snapshotShown>>;

/** What a snapshot is good for, in words: `good`, `imported`, `clock ahead`, `damaged`. */
export const snapshotStates = ({
  kind,
  complete,
  items,
  importedAt,
  clock,
  problems,
}: SnapshotView): readonly string[] => [
  kind === 'safeguard' ? kind : items === 0 ? 'empty' : complete ? 'good' : 'incomplete',
  ...(importedAt === undefined ? [] : ['imported']),
  ...(clock ? [`clock ${clock.clock}`] : []),
  ...(problems.length > 0 ? ['damaged'] : []),
];

/** One whose manifest cannot be read. */
export const unreadableSnapshot = z.object({
  id: z.string(),
  unreadable: z.object({ code: z.string(), why: z.string() }),
});
export type UnreadableView = Readonly<z.infer<typeof unreadableSnapshot>>;

/** How well a route is backed up. */
export const routeState = z.object({
  route: z.string(),
  good: z.number().describe('good snapshots that were taken here'),
  lastGood: z
    .object({
      id: z.string(),
      takenAt: z.string(),
      confirmedAt: z.string().optional(),
      ageMs: z.number().describe('since it was taken, or confirmed; 0 where that is ahead of our clock'),
      ahead: z.literal(true).optional(),
    })
    .optional(),
  maxAgeMs: z.number().optional().describe('how old that may be'),
  overdue: z.boolean(),
  lastProven: z
    .object({ id: z.string(), takenAt: z.string(), proof: snapshotProof })
    .optional()
    .describe('the newest that was shown to be restorable, and by what last'),
});

/** Snapshots, the newest first, those that cannot be read last; and how well routes are backed up. */
export const listedSnapshots = z.object({
  snapshots: z.array(z.union([snapshotShown, unreadableSnapshot])).readonly(),
  routes: z.array(routeState).readonly(),
});
export type ListedSnapshots = z.infer<typeof listedSnapshots>;

/** A page of them. */
export const snapshotsPage = listedSnapshots.extend({
  hidden: z.number().optional().describe('safeguards that fit and are not listed'),
  next: z.string().optional().describe('cursor of older ones'),
});
export type SnapshotsPage = z.infer<typeof snapshotsPage>;

/** Everything that is known of a snapshot, with each of its items. */
export const snapshotDetail = snapshotManifest.extend({
  pin: snapshotPin.optional(),
  proofs: z.array(snapshotProof).readonly().describe('oldest first'),
  confirmed: snapshotConfirmation.optional().describe('when its group was last found as it is in it'),
  problems: z.array(z.string()).readonly().describe('what beside its manifest could not be read'),
  items: z.array(snapshotRow).readonly(),
});
export type SnapshotDetail = z.infer<typeof snapshotDetail>;
