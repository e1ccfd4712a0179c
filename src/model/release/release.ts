import { z } from 'zod';
import { importedFile } from '../snapshot/snapshot';

/** A group of a release: one snapshot of it, known by its bytes. */
const releasedGroup = z.object({
  /** As the pipeline names it. */
  name: z.string(),
  groupId: z.string(),
  snapshotId: z.string(),
  /** Of the snapshot's rows and packages: another snapshot has another one, wherever it lies. */
  sha256: z.string(),
  items: z.number(),
  sizeBytes: z.number(),
});
export type ReleasedGroup = z.infer<typeof releasedGroup>;

/** Settings or categories that a release holds, as their file has them, and how many there are. */
export const releasedDocument = z.object({ count: z.number(), content: z.unknown() });

/**
 * What a release is: made once, in the first stage of its pipeline, and never changed. It exists when its manifest
 * does, which carries the mark of the store's key.
 */
export const releaseManifest = z.object({
  /** `transport-20261122T091200Z-k7q2`: the pipeline, when its run started in UTC, and the end of the run's ID. */
  id: z.string(),
  pipeline: z.string(),
  runId: z.string(),
  /** Claimed, not proven: `user@host`. */
  who: z.string(),
  reason: z.string().optional(),
  /** By the worker's clock. */
  createdAt: z.iso.datetime(),
  source: z.object({
    stage: z.string(),
    portal: z.string(),
    url: z.string(),
    /** In the portal's words; empty where it told none. */
    version: z.string(),
  }),
  groups: z.array(releasedGroup),
  settings: releasedDocument.optional(),
  categories: releasedDocument.optional(),
  /** Of all that it holds, and of nothing else: the same in every store. */
  sha256: z.string(),
  imported: importedFile.optional(),
});
export type ReleaseManifest = z.infer<typeof releaseManifest>;

/** What keeps a release from every further stage. It applies to the content, whatever release has it. */
export const releaseBlock = z.object({
  release: z
    .string()
    .describe('ID of the release that was blocked; releases with the same sha256 are blocked too'),
  at: z.iso.datetime().optional().describe('absent if the block is unreadable; it still counts'),
  who: z.string(),
  reason: z.string(),
});
export type ReleaseBlock = z.infer<typeof releaseBlock>;
