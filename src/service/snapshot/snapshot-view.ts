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
  takenAt: z.string().describe('when its export was requested'),
  ageMs: z.number(),
  items: z.number().describe('items saved'),
  requested: z.number().describe('items in the group, or requested'),
  sizeBytes: z.number().optional().describe('size of all packages; absent if there are none'),
  addedBytes: z
    .number()
    .optional()
    .describe('bytes it added to the store; the rest of `sizeBytes` is shared with parent snapshots'),
  sha256: z.string().optional().describe('hash of the first package'),
  packages: z.number(),
  since: snapshotBase.optional().describe('parent snapshot; absent if everything was exported'),
  complete: z.boolean(),
  good: z.boolean().describe('a complete backup that is not empty; counts for retention and alerts'),
  tags: z.array(z.string()).readonly(),
  source: snapshotSource,
  scheduledBy: z.string().optional(),
  pin: snapshotPin.optional(),
  proof: snapshotProof.optional().describe('last drill result'),
  confirmedAt: z.string().optional().describe('when its group was last found unchanged'),
  importedAt: z.string().optional().describe('when it was imported from another store'),
  ahead: z.literal(true).optional().describe('dated in the future; it is kept, and no rule counts it'),
  problems: z.array(z.string()).readonly().describe('what could not be read, apart from the manifest'),
});
export type SnapshotView = Readonly<z.infer<typeof snapshotShown>>;

/** States of a snapshot: `good`, `imported`, `clock ahead`, `damaged`. */
export const snapshotStates = ({
  kind,
  complete,
  items,
  importedAt,
  ahead,
  problems,
}: SnapshotView): readonly string[] => [
  kind === 'safeguard' ? kind : items === 0 ? 'empty' : complete ? 'good' : 'incomplete',
  ...(importedAt === undefined ? [] : ['imported']),
  ...(ahead ? ['clock ahead'] : []),
  ...(problems.length > 0 ? ['damaged'] : []),
];

/** A snapshot whose manifest cannot be read. */
export const unreadableSnapshot = z.object({
  id: z.string(),
  unreadable: z.object({ code: z.string(), why: z.string() }),
});
export type UnreadableView = Readonly<z.infer<typeof unreadableSnapshot>>;

/** Backup state of a route. */
export const routeState = z.object({
  route: z.string(),
  good: z.number().describe('good snapshots taken here'),
  lastGood: z
    .object({
      id: z.string(),
      takenAt: z.string(),
      confirmedAt: z.string().optional(),
      ageMs: z.number().describe('since it was taken or confirmed; 0 if dated in the future'),
      ahead: z.literal(true).optional(),
    })
    .optional(),
  maxAgeMs: z.number().optional().describe('maximum age'),
  overdue: z.boolean(),
  lastProven: z
    .object({ id: z.string(), takenAt: z.string(), proof: snapshotProof })
    .optional()
    .describe('the newest proven snapshot, with its last drill result'),
});

/** Snapshots, newest first, unreadable ones last; and the backup state of routes. */
export const listedSnapshots = z.object({
  snapshots: z.array(z.union([snapshotShown, unreadableSnapshot])).readonly(),
  routes: z.array(routeState).readonly(),
});
export type ListedSnapshots = z.infer<typeof listedSnapshots>;

/** A page of them. */
export const snapshotsPage = listedSnapshots.extend({
  hidden: z.number().optional().describe('matching safeguards that are not listed'),
  next: z.string().optional().describe('cursor of the next page, with older entries'),
});
export type SnapshotsPage = z.infer<typeof snapshotsPage>;

/** Everything known about a snapshot, with its items. */
export const snapshotDetail = snapshotManifest.extend({
  pin: snapshotPin.optional(),
  proofs: z.array(snapshotProof).readonly().describe('oldest first'),
  confirmed: snapshotConfirmation.optional().describe('when its group was last found unchanged'),
  problems: z.array(z.string()).readonly().describe('what could not be read, apart from the manifest'),
  items: z.array(snapshotRow).readonly(),
});
export type SnapshotDetail = z.infer<typeof snapshotDetail>;
