import type { ReleaseManifest } from '../../model/release/release';
import type { SnapshotPin } from '../../model/snapshot/snapshot';

/** A release for people and programs. */
export interface ReleaseView extends ReleaseManifest {
  readonly pin?: SnapshotPin;
  readonly items: number;
  /** Of the packages of its snapshots, which some of them may share. */
  readonly sizeBytes: number;
}

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
export interface UnreadableReleaseView {
  readonly id: string;
  readonly code: string;
  readonly why: string;
}

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
