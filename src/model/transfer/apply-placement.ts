import { z } from 'zod';

/** Who owns what a run creates. Names of users; those of the source are found whatever their case. */
export const ownerMap = z.object({
  /** Who gets what belongs to nobody that `map` names. @default the user of the same name */
  default: z.string().optional(),
  /** The target's user for one of the source. */
  map: z.record(z.string(), z.string()),
});
export type OwnerMap = z.infer<typeof ownerMap>;

/**
 * That a run brings the items that it creates to stand as its snapshot says that they stood: owner, folder, access,
 * picture and protection, which an import does not carry.
 */
export const putRight = z.object({
  /** @default all belong to the account that imports */
  owners: ownerMap.optional(),
});
export type PutRight = z.infer<typeof putRight>;
