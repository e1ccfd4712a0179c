import { z } from 'zod';
import { promotionEntry } from '../../../model/release/promotion';
import { releaseManifest } from '../../../model/release/release';
import { listedEntry } from '../../snapshot/archive/snapshot-file';
import type { SortOfArchive } from '../../snapshot/archive/seal';

/** The files in which releases travel. */
export const releaseFiles: SortOfArchive = {
  what: 'release',
  newest: 1,
  altered: 'RELEASE_ALTERED',
  newer: 'RELEASE_NEWER',
  untrusted: 'RELEASE_UNTRUSTED',
};

/** Settings and categories take so much at most. @format bytes */
export const BESIDE_BYTES_MAX = 64 * 1024 ** 2;

/** Entries of the history that a file carries, the newest ones. */
export const HISTORY_MAX = 1_000;

/** The first entry: what the release is. Then come what it holds of the portal, and its snapshots, a folder each. */
export const releaseHead = z.object({
  format: z.number(),
  /** The newest form that one of its snapshots has. */
  snapshotFormat: z.number(),
  release: releaseManifest,
  /** What became of the stages to which it came. @default nothing */
  promotions: z.array(promotionEntry).max(HISTORY_MAX).optional(),
  files: z.array(listedEntry.extend({ sizeBytes: z.number().max(BESIDE_BYTES_MAX) })),
});
export type ReleaseHead = z.infer<typeof releaseHead>;

/** Names of the entries. */
export const entryNames = {
  head: 'release.json',
  settings: 'settings.json',
  categories: 'categories.json',
  /** @param index of the group in the release */
  group: (index: number) => `${index + 1}/`,
} as const;
