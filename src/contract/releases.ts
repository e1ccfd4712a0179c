import { z } from 'zod';
import { releaseBlock, releaseManifest } from '../model/release/release';
import { fieldChange, reasonText } from '../model/run/run';
import { snapshotPin } from '../model/snapshot/snapshot';
import { operation } from './operation';
import { diffCounts, itemDiff, nameText, pinned, pinReason, unpinned } from './snapshots';

export const release = nameText.describe('ID, a unique suffix of it, `latest` or `latest:PIPELINE`');

const counted = z.object({ count: z.number() });

/** A release for people and programs. Of settings and categories it has the figures alone. */
export const releaseShown = releaseManifest.extend({
  settings: counted.optional(),
  categories: counted.optional(),
  pin: snapshotPin.optional(),
  block: releaseBlock.optional().describe('it goes to no further stage'),
  items: z.number(),
  sizeBytes: z.number().describe('size of its packages; snapshots can share packages'),
});
export type ReleaseView = z.infer<typeof releaseShown>;

/** The releases of a store. */
const listedReleases = z.object({
  releases: z.array(releaseShown).readonly(),
  unreadable: z.array(z.object({ id: z.string(), code: z.string(), why: z.string() })).readonly(),
});
export type ListedReleases = z.infer<typeof listedReleases>;

/** The differences of two releases. */
export const releaseComparison = z.object({
  before: z.string(),
  after: z.string(),
  groups: z
    .array(
      z.object({
        name: z.string(),
        difference: z
          .enum(['same', 'changed', 'added', 'removed'])
          .describe('`added`, `removed`: only one release has a group of that name'),
        items: z.array(itemDiff).readonly().optional().describe('absent if there is nothing to compare'),
        counts: diffCounts.optional(),
      }),
    )
    .readonly(),
  settings: z.array(fieldChange).readonly().optional().describe('absent if neither release has any'),
  categories: z.array(fieldChange).readonly().optional().describe('absent if neither release has a schema'),
});
export type ReleaseComparison = z.infer<typeof releaseComparison>;

const blocked = z.object({ id: z.string(), block: releaseBlock });
const unblocked = z.object({ id: z.string(), wasBlocked: z.boolean() });

/** Releases: `portolan release list|show|diff|pin|unpin|block|unblock|forget`. */
export const releaseOperations = {
  listReleases: operation({
    at: 'GET /releases',
    summary: 'List releases, newest first',
    input: z.strictObject({
      pipeline: z.string().min(1).max(200).optional().describe('only those of this pipeline'),
    }),
    answer: listedReleases,
    right: 'view',
    needs: 'store',
  }),
  readRelease: operation({
    at: 'GET /releases/:release',
    summary: 'Show what a release contains, who created it, when and why',
    input: z.strictObject({ release }),
    answer: releaseShown,
    right: 'view',
    needs: 'store',
  }),
  diffReleases: operation({
    at: 'GET /releases/:release/diff',
    summary: 'Compare a release with a later one',
    input: z.strictObject({
      release,
      with: nameText.describe('the later release, named in the same way'),
    }),
    answer: releaseComparison,
    right: 'view',
    needs: 'store',
  }),
  pinRelease: operation({
    at: 'POST /releases/:release/pin',
    summary: 'Keep a release from being forgotten until it is unpinned',
    input: z.strictObject({ release, reason: pinReason }),
    answer: pinned,
    right: 'operate',
    needs: 'store',
  }),
  unpinRelease: operation({
    at: 'POST /releases/:release/unpin',
    summary: 'Unpin a release so that it can be forgotten',
    input: z.strictObject({ release }),
    answer: unpinned,
    right: 'operate',
    needs: 'store',
  }),
  blockRelease: operation({
    at: 'POST /releases/:release/block',
    summary: 'Keep a release from every further stage until it is unblocked',
    input: z.strictObject({ release, reason: reasonText.describe('shown wherever the release is offered') }),
    answer: blocked,
    right: 'operate',
    needs: 'store',
  }),
  unblockRelease: operation({
    at: 'POST /releases/:release/unblock',
    summary: 'Unblock a release so that it can be promoted',
    input: z.strictObject({ release, reason: reasonText.optional() }),
    answer: unblocked,
    right: 'operate',
    needs: 'store',
  }),
  forgetRelease: operation({
    at: 'POST /releases/:release/forget',
    summary: 'Forget a release; its snapshots are kept',
    input: z.strictObject({
      release,
      dryRun: z.boolean().default(false).describe('only report which release would be forgotten'),
    }),
    answer: z.object({ id: z.string(), forgotten: z.boolean() }),
    // A dry run only needs the right to view.
    right: 'view',
    needs: 'readable',
  }),
};
