import { z } from 'zod';
import { placement } from './placement';

/** How items that a run created are to stand, by their ids; with the snapshot beside which their pictures lie. */
export const arrangement = z.record(
  z.string(),
  z.object({ title: z.string(), snapshotId: z.string(), placement }),
);
export type Arrangement = z.infer<typeof arrangement>;

/** Folders that a run makes. Noted before they are made; one whose making was begun, and not seen to end, has no id. */
export const madeFolders = z.array(
  z.object({ owner: z.string(), title: z.string(), folderId: z.string().optional() }),
);
export type MadeFolders = z.infer<typeof madeFolders>;
