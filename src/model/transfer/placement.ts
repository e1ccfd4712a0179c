import { z } from 'zod';

/** Placement of an item before it was overwritten; values a portal did not report are absent. */
export const placement = z.object({
  owner: z.string().optional(),
  /** ID of the folder; `/` is the root. Portals report it for one's own items, and some to administrators. */
  folder: z.string().optional(),
  /** Title of the folder; absent for the root, and if not needed. */
  folderTitle: z.string().optional(),
  /** private, shared, org or public. */
  access: z.string().optional(),
  /** IDs of its groups, as far as the account sees them. */
  groups: z.array(z.string()).optional(),
  /** Delete protection. */
  protected: z.boolean().optional(),
  /** Thumbnail, stored beside the snapshot; absent if it had none. */
  thumbnail: z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() }).optional(),
});
export type Placement = z.infer<typeof placement>;

/** The root folder of an item's owner. */
export const ROOT_FOLDER = '/';

/** Parts of a placement that are restored by separate calls, in this order. */
export const placementParts = ['owner', 'folder', 'sharing', 'thumbnail', 'protection'] as const;
export type PlacementPart = (typeof placementParts)[number];

/** How far an item can be seen beyond the groups that hold it. */
export const reachOf = (access: string | undefined): 0 | 1 | 2 =>
  access === 'public' ? 2 : access === 'org' ? 1 : 0;

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

/** Who owns what a run creates. Names of users; those of the source are found whatever their case. */
export interface OwnerMap {
  /** Who gets what belongs to nobody that `map` names. @default the user of the same name */
  readonly default?: string;
  /** The target's user for one of the source. */
  readonly map: Readonly<Record<string, string>>;
}

/**
 * That a run brings the items that it creates to stand as its snapshot says that they stood: owner, folder, access,
 * picture and protection, which an import does not carry.
 */
export interface PutRight {
  /** @default all belong to the account that imports */
  readonly owners?: OwnerMap;
}
