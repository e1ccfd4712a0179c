import { z } from 'zod';
import { reasonText } from '../model/run/run';
import {
  snapshotBase,
  snapshotConfirmation,
  snapshotKinds,
  snapshotManifest,
  snapshotPin,
  snapshotProof,
  snapshotRow,
  snapshotSource,
} from '../model/snapshot/snapshot';
import { next, operation, paging } from './operation';

/** Names a snapshot or a release. */
export const nameText = z.string().min(1, 'must not be empty').max(300);
const snapshot = nameText.describe('ID, a unique suffix of it, `latest` or `latest:ROUTE`');

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

/** A snapshot whose manifest cannot be read. */
const unreadableSnapshot = z.object({
  id: z.string(),
  unreadable: z.object({ code: z.string(), why: z.string() }),
});
export type UnreadableView = Readonly<z.infer<typeof unreadableSnapshot>>;

/** Backup state of a route. */
const routeState = z.object({
  route: z.string(),
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
export type RouteState = z.infer<typeof routeState>;

/** Snapshots, newest first, and the backup state of routes. */
const listedSnapshots = z.object({
  snapshots: z.array(z.union([snapshotShown, unreadableSnapshot])).readonly(),
  routes: z.array(routeState).readonly().describe('those of rules are in `GET /rules`'),
  hidden: z.literal(true).optional().describe('safeguards are not listed'),
  next,
});
export type ListedSnapshots = z.infer<typeof listedSnapshots>;

/** Everything known about a snapshot, with its items. */
const snapshotDetail = snapshotManifest.extend({
  pin: snapshotPin.optional(),
  proofs: z.array(snapshotProof).readonly().describe('oldest first'),
  confirmed: snapshotConfirmation.optional().describe('when its group was last found unchanged'),
  problems: z.array(z.string()).readonly().describe('what could not be read, apart from the manifest'),
  items: z.array(snapshotRow).readonly(),
  next,
});
export type SnapshotDetail = z.infer<typeof snapshotDetail>;

const change = z.object({
  field: z.string(),
  before: z.union([z.string(), z.number()]).optional(),
  after: z.union([z.string(), z.number()]).optional(),
});

/** The differences of an item between two states of a group. */
export const itemDiff = z.object({
  itemId: z.string(),
  type: z.string(),
  title: z.string(),
  difference: z.enum(['added', 'removed', 'changed', 'same']).describe('`same`: in all that was compared'),
  fields: z.array(change).readonly(),
  bytes: z.literal(true).optional().describe('its data was compared byte by byte'),
  notCompared: z.array(z.string()).readonly().describe('data that was not compared, and why'),
});
export type ItemDiff = z.infer<typeof itemDiff>;

export const diffCounts = z.object({
  added: z.number(),
  removed: z.number(),
  changed: z.number(),
  same: z.number(),
  notCompared: z.number().describe('items whose data was not compared'),
});

const side = z.object({
  id: z.string().optional().describe('absent for the live group'),
  route: z.string(),
  portal: z.string(),
  groupId: z.string(),
  at: z.string().describe('when the snapshot was taken or the group read'),
});

/** The differences of two snapshots, or of a snapshot and its group now. */
const snapshotComparison = z.object({
  items: z.array(itemDiff).readonly(),
  counts: diffCounts,
  before: side,
  after: side,
  notes: z.array(z.string()).readonly().describe('warnings about the two sides'),
});
export type SnapshotComparison = z.infer<typeof snapshotComparison>;

/** A snapshot whose every byte was read. */
const verifiedSnapshot = z.object({
  id: z.string(),
  files: z.number().describe('files read to the end'),
  bytes: z.number(),
  problems: z
    .array(
      z.object({
        file: z.string(),
        problem: z.string(),
        costs: z
          .array(
            z.object({
              id: z.string(),
              items: z.array(z.object({ itemId: z.string(), title: z.string() })).readonly(),
              why: z.string().optional(),
            }),
          )
          .readonly()
          .optional(),
      }),
    )
    .readonly(),
});
export type VerifiedSnapshot = z.infer<typeof verifiedSnapshot>;

const count = z.number().int().min(0).max(1_000_000).optional();

/** Retention rules. */
const keepRules = z.strictObject({
  last: count,
  hourly: count,
  daily: count,
  weekly: count,
  monthly: count,
  yearly: count,
  withinMs: z.number().int().min(0).optional().describe('all within this time of the newest'),
  tags: z.array(z.string().min(1).max(200)).max(100).optional().describe('all with one of these tags'),
});

/** A package of a forgotten snapshot that stays because kept snapshots need it. */
const neededPackage = z.object({
  sha256: z.string(),
  sizeBytes: z.number(),
  of: z.array(z.string()).readonly().describe('snapshots to forget that use it'),
  neededBy: z.array(z.string()).readonly().describe('kept snapshots that use it'),
});

/** The decisions and the result. */
const forgetting = z.object({
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
  seen: z.string().describe('identifies these decisions'),
  notes: z.array(z.string()).readonly().describe('warnings'),
});
export type Forgetting = z.infer<typeof forgetting>;

export const pinReason = reasonText.optional().describe('reason, shown with the pin');
export const pinned = z.object({ id: z.string(), pin: snapshotPin });
export type Pinned = z.infer<typeof pinned>;
export const unpinned = z.object({ id: z.string(), wasPinned: z.boolean() });
export type Unpinned = z.infer<typeof unpinned>;

/** Snapshots: `portolan snapshot list|show|diff|verify|pin|unpin|forget`. */
export const snapshotOperations = {
  listSnapshots: operation({
    at: 'GET /snapshots',
    summary: 'List snapshots, newest first, and the backup status of routes',
    input: z.strictObject({
      ...paging,
      route: z.string().max(200).optional(),
      tag: z.string().max(200).optional(),
      safeguards: z.boolean().default(false).describe('include safeguards'),
    }),
    answer: listedSnapshots,
    right: 'view',
    needs: 'store',
    pages: 'snapshots',
  }),
  readSnapshot: operation({
    at: 'GET /snapshots/:snapshot',
    summary: 'Show a snapshot and one page of its items',
    input: z.strictObject({ snapshot, ...paging }),
    answer: snapshotDetail,
    right: 'view',
    needs: 'store',
    pages: 'items',
  }),
  diffSnapshots: operation({
    at: 'GET /snapshots/:snapshot/diff',
    summary: 'Compare a snapshot with another one or with the live group',
    input: z.strictObject({
      snapshot,
      with: nameText.describe('a snapshot, named in the same way, or `live`'),
    }),
    answer: snapshotComparison,
    right: 'view',
    needs: 'store',
    turn: (input) => input['with'] === 'live',
  }),
  verifySnapshots: operation({
    at: 'POST /snapshots/verify',
    summary: 'Verify every byte of snapshots: a `verified` event for each, and `over` at the end',
    input: z.strictObject({
      snapshots: z
        .array(nameText)
        .min(1)
        .max(200)
        .optional()
        .describe('IDs, suffixes, `latest` or `latest:ROUTE`'),
      all: z.literal(true).optional().describe('every snapshot in the store'),
      route: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('snapshots of this route, and those that cannot be read'),
    }),
    answer: verifiedSnapshot,
    // It has an effect: the next backup does not use a snapshot found damaged here as its parent.
    right: 'operate',
    needs: 'store',
    stream: 'verified',
  }),
  pinSnapshot: operation({
    at: 'POST /snapshots/:snapshot/pin',
    summary: 'Keep a snapshot from being forgotten until it is unpinned',
    input: z.strictObject({ snapshot, reason: pinReason }),
    answer: pinned,
    right: 'operate',
    needs: 'store',
  }),
  unpinSnapshot: operation({
    at: 'POST /snapshots/:snapshot/unpin',
    summary: 'Unpin a snapshot so that it can be forgotten',
    input: z.strictObject({ snapshot }),
    answer: unpinned,
    right: 'operate',
    needs: 'store',
  }),
  forgetSnapshots: operation({
    at: 'POST /snapshots/forget',
    summary: 'Forget snapshots by ID or by retention policy',
    input: z.strictObject({
      snapshots: z.array(nameText).min(1).max(500).optional().describe('IDs or suffixes'),
      route: z.string().min(1).max(200).optional().describe('instead of names'),
      keep: keepRules.optional().describe('default: `backup.keep` of the route'),
      safeguards: z.boolean().optional().describe('only expired safeguards of the route'),
      dryRun: z.boolean().default(false).describe('only show what would be forgotten and kept'),
      seen: z
        .string()
        .max(64)
        .optional()
        .describe('`seen` of a dry run: nothing is forgotten if the decisions would differ now'),
    }),
    answer: forgetting,
    // A dry run only needs the right to view.
    right: 'view',
    needs: 'readable',
  }),
};
