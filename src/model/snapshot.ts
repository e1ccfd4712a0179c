import { z } from 'zod';

/** What stands beside a saved package and says what it is. A snapshot exists when its manifest does. */
export const snapshotManifest = z.object({
  id: z.string(),
  kind: z.enum(['safeguard']),
  runId: z.string(),
  portal: z.string(),
  url: z.string(),
  groupId: z.string(),
  createdAt: z.string(),
  /** Absent where no item could be exported and all are copied one by one. */
  package: z.object({ key: z.string(), sizeBytes: z.number(), sha256: z.string() }).optional(),
  items: z.array(
    z.object({
      itemId: z.string(),
      type: z.string(),
      title: z.string(),
      modified: z.number().optional(),
      owner: z.string().optional(),
      /** `package`: in the export package. `copy`: record and data as files of their own. */
      saved: z.enum(['package', 'copy']),
    }),
  ),
});
export type SnapshotManifest = z.infer<typeof snapshotManifest>;
