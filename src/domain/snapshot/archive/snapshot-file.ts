import { z } from 'zod';
import { CHAIN_FORMAT, snapshotManifest } from '../../../model/snapshot/snapshot';
import type { SortOfArchive } from './seal';

/** The files in which snapshots travel: each has the form of its snapshot. */
export const snapshotFiles: SortOfArchive = {
  what: 'snapshot',
  newest: CHAIN_FORMAT,
  altered: 'SNAPSHOT_ALTERED',
  newer: 'SNAPSHOT_NEWER',
  untrusted: 'SNAPSHOT_UNTRUSTED',
};

/** An entry by what it has to be. */
export const listedEntry = z.object({
  name: z.string(),
  sizeBytes: z.number(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ListedEntry = z.infer<typeof listedEntry>;

/** The first entry: what the snapshot is, and the other entries in their order. */
export const snapshotHead = z.object({
  format: z.number(),
  manifest: snapshotManifest,
  files: z.array(listedEntry),
});
export type SnapshotHead = z.infer<typeof snapshotHead>;

/** Names of the entries. */
export const entryNames = {
  head: 'snapshot.json',
  rows: 'rows.json',
  record: (itemId: string) => `items/${itemId}/item.json`,
  data: (itemId: string) => `items/${itemId}/data`,
  file: (itemId: string, index: number) => `items/${itemId}/files/${index}`,
  document: (itemId: string) => `items/${itemId}/document.json`,
  thumbnail: (itemId: string) => `items/${itemId}/thumbnail`,
  /** @param index among the packages of the snapshot */
  package: (index: number) => (index === 0 ? 'package.epk' : `package-${index + 1}.epk`),
} as const;
