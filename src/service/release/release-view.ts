import { z } from 'zod';
import { type ReleaseManifest, releaseManifest } from '../../model/release/release';
import { type SnapshotPin, snapshotPin } from '../../model/snapshot/snapshot';

/** A release for people and programs. */
export const releaseShown = releaseManifest.extend({
  pin: snapshotPin.optional(),
  items: z.number(),
  sizeBytes: z.number().describe('of the packages of its snapshots, which some of them may share'),
});
export type ReleaseView = z.infer<typeof releaseShown>;

export function releaseView({
  manifest,
  pin,
}: {
  readonly manifest: ReleaseManifest;
  readonly pin?: SnapshotPin;
}): ReleaseView {
  const sum = (of: 'items' | 'sizeBytes'): number =>
    manifest.groups.reduce((all, group) => all + group[of], 0);
  return { ...manifest, pin, items: sum('items'), sizeBytes: sum('sizeBytes') };
}

/** One whose manifest cannot be read. */
export const unreadableRelease = z.object({ id: z.string(), code: z.string(), why: z.string() });
export type UnreadableReleaseView = z.infer<typeof unreadableRelease>;

/** What two releases have otherwise, as it is drawn. */
export interface ReleaseDiffView {
  readonly before: string;
  readonly after: string;
  readonly groups: readonly {
    readonly name: string;
    readonly difference: string;
    readonly counts?: Readonly<Record<'added' | 'removed' | 'changed' | 'same' | 'notCompared', number>>;
    readonly items?: readonly {
      readonly itemId: string;
      readonly type: string;
      readonly title: string;
      readonly difference: string;
    }[];
  }[];
  readonly settings?: readonly ChangedValue[];
  readonly categories?: readonly ChangedValue[];
}

export interface ChangedValue {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
