import { z } from 'zod';
import { optionalId, requiredId } from '../../http/ids';
import { flag, label, number, readableOf, text, texts } from '../../http/reading';

/** An item's record; fields that are not named here are kept. docs/reference/portal-interface.md, "Items" */
export const item = z.looseObject({
  id: requiredId('item'),
  owner: optionalId('user'),
  /** @format milliseconds since the epoch */
  created: number,
  /** @format milliseconds since the epoch; editing features does not change it */
  modified: number,
  /** File name. */
  name: text,
  title: label,
  type: label,
  typeKeywords: texts,
  description: text,
  tags: texts,
  snippet: text,
  /** Paths in the category schema, such as `/Categories/Roads`. */
  categories: readableOf(z.string()).optional(),
  url: text,
  /** private, shared, org or public. */
  access: label,
  /** @format bytes; 0 or -1 for services */
  size: number,
  protected: flag,
  /** Below the item's `info`; absent where it has none of its own. */
  thumbnail: text,
  /** Absent for the root folder and for items of others. */
  ownerFolder: optionalId('folder'),
  properties: z.unknown().optional(),
});
export type Item = z.infer<typeof item>;

/** Portals give an item some ten; the places of those that mean something are the first. */
const KEYWORDS_KEPT = 200;

/**
 * Of an item in a listing what tells it from others: its texts for people, and whatever else a portal has put there, are
 * not held in memory for each item of a group.
 */
export const listedItem = (full: Item): Item => ({
  id: full.id,
  owner: full.owner,
  created: full.created,
  modified: full.modified,
  name: full.name,
  title: full.title,
  type: full.type,
  typeKeywords: full.typeKeywords?.slice(0, KEYWORDS_KEPT),
  url: full.url,
  access: full.access,
  size: full.size,
  protected: full.protected,
  ownerFolder: full.ownerFolder,
});

export const folder = z.looseObject({ id: requiredId('folder'), title: label });
export type Folder = z.infer<typeof folder>;

/** Type of an export package, on the wire. docs/reference/portal-interface.md, "Package" */
export const PACKAGE_TYPE = 'Export Package';
/** Type keywords of an export package. docs/reference/portal-interface.md, "Package" */
export const PACKAGE_KEYWORDS = ['Export Package', 'epk'] as const;
