import type { ForgetHow, ForgetRequest, ForgettingSeen } from '../snapshot/forget-view';
import type { SnapshotComparisonView } from '../snapshot/snapshot-diff-view';
import type { SnapshotDetail, SnapshotsPage } from '../snapshot/snapshot-view';
import type { VerifiedSnapshot, VerifyRequest } from '../snapshot/verify-snapshots';
import type { Pinned, Unpinned } from './releases';

/** Operations on snapshots, named by ID, the end of an ID, `latest`, or `latest:ROUTE`. */
export interface PortolanSnapshots {
  /** All of them, the newest first. */
  list(asked: {
    readonly route?: string;
    readonly tag?: string;
    readonly safeguards?: boolean;
  }): Promise<Omit<SnapshotsPage, 'next'>>;
  /** Throws `SNAPSHOT_NOT_FOUND`, and `USAGE` if several match, as do all that take a name. */
  show(text: string): Promise<SnapshotDetail>;
  /** @param after a snapshot, or `live` for the group as it is now */
  diff(before: string, after: string): Promise<SnapshotComparisonView>;
  /**
   * Reads every byte of the named snapshots, and yields each one once read, with its altered or missing files as
   * problems. Throws if the next one cannot be read.
   */
  verify(request: VerifyRequest): AsyncIterable<VerifiedSnapshot>;
  pin(text: string, reason: string | undefined): Promise<Pinned>;
  unpin(text: string): Promise<Unpinned>;
  forget(request: ForgetRequest, how: ForgetHow): Promise<ForgettingSeen>;
}
