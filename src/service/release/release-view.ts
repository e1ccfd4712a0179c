import { z } from 'zod';
import type { KnownRelease } from '../../domain/release/releases';
import { reasonText, fieldChange } from '../../model/run/run';
import { releaseManifest } from '../../model/release/release';
import { snapshotPin } from '../../model/snapshot/snapshot';
import { diffCounts, itemDiff } from '../snapshot/snapshot-diff-view';

const counted = z.object({ count: z.number() });

/** A release for people and programs. Of settings and categories it has the figures alone. */
export const releaseShown = releaseManifest.extend({
  settings: counted.optional(),
  categories: counted.optional(),
  pin: snapshotPin.optional(),
  items: z.number(),
  sizeBytes: z.number().describe('size of its packages; snapshots can share packages'),
});
export type ReleaseView = z.infer<typeof releaseShown>;

export function releaseView({ manifest, pin }: KnownRelease): ReleaseView {
  const sum = (of: 'items' | 'sizeBytes'): number =>
    manifest.groups.reduce((all, group) => all + group[of], 0);
  return releaseShown.parse({ ...manifest, pin, items: sum('items'), sizeBytes: sum('sizeBytes') });
}

/** A release whose manifest cannot be read. */
export const unreadableRelease = z.object({ id: z.string(), code: z.string(), why: z.string() });
export type UnreadableReleaseView = z.infer<typeof unreadableRelease>;

/** The releases of a store. */
export const listedReleases = z.object({
  releases: z.array(releaseShown).readonly(),
  unreadable: z.array(unreadableRelease).readonly(),
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
export type ReleaseDiffView = z.infer<typeof releaseComparison>;

/** Request to pin a release or snapshot. */
export const pinRequest = z.strictObject({
  reason: reasonText.optional().describe('reason, shown with the pin'),
});
export const pinned = z.object({ id: z.string(), pin: snapshotPin });
export const unpinned = z.object({ id: z.string(), wasPinned: z.boolean() });

/** Result of forgetting a release; its snapshots stay. */
export const forgottenRelease = z.object({ id: z.string(), forgotten: z.boolean() });
