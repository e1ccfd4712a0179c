import { z } from 'zod';

/** Where an item stood and how people had arranged it before it was overwritten; what a portal did not tell is absent. */
export const placement = z.object({
  owner: z.string().optional(),
  /** Id of the folder; `/` is the root. Portals tell it of one's own items, and some tell administrators. */
  folder: z.string().optional(),
  /** What that folder is called; absent for the root, and where nobody goes by it. */
  folderTitle: z.string().optional(),
  /** private, shared, org or public. */
  access: z.string().optional(),
  /** Ids of the groups that hold it, as far as the account sees them. */
  groups: z.array(z.string()).optional(),
  /** Against being deleted. */
  protected: z.boolean().optional(),
  /** The picture, which lies beside the snapshot; absent where it had none. */
  thumbnail: z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() }).optional(),
});
export type Placement = z.infer<typeof placement>;

/** The root folder of whoever owns an item. */
export const ROOT_FOLDER = '/';

/** What of a placement is put back by a call of its own, in the order of these calls. */
export const placementParts = ['owner', 'folder', 'sharing', 'thumbnail', 'protection'] as const;
export type PlacementPart = (typeof placementParts)[number];

/** Items that an import has displaced, by what is to be put back. */
export type Displaced = Readonly<Record<PlacementPart, readonly string[]>>;
