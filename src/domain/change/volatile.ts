/**
 * What is no change of an item's content, each with the reason. Names are those of the record, and of the documents in
 * which the tables of `types/` name them.
 */

const placed = 'placement, which runs save, plan and restore by itself';
const counted = 'counted by the portal while people use the item';
const made = 'made by the portal, and another one on each';
const derived = 'follows from the content, which is compared';

/** Members of an item's record. docs/reference/portal-interface.md, "Items" */
export const volatileDetails: Readonly<Record<string, string>> = {
  id: 'the same on both sides, or the items would not be compared',
  guid: made,
  orgId: made,
  itemControl: 'what the signed-in account may do with it',
  contentOrigin: 'whether it is of the organization of the signed-in account',
  created: 'when a portal got it',
  modified: 'when a portal wrote it last',
  lastModified: 'when a portal wrote it last',
  lastViewed: counted,
  numViews: counted,
  numComments: counted,
  numRatings: counted,
  avgRating: counted,
  scoreCompleteness: derived,
  size: 'addresses of another portal are longer or shorter; of services it is made up',
  isOrgItem: 'a portal says so of all its items',
  thumbnail: 'a name that portals change; the picture itself is compared',
  largeThumbnail: 'a name in a cache, made from the thumbnail',
  owner: placed,
  ownerFolder: placed,
  access: placed,
  listed: placed,
  protected: placed,
  groups: placed,
  groupCategories: placed,
  groupDesignations: placed,
  sharing: placed,
  tokenExpiration: 'of this sign-in',
};

const saver = 'the program that saved the document, not what is in it';
const savedAt = 'when the document was saved';

/** Members of documents. */
export const volatileData = {
  authoringApp: saver,
  authoringAppVersion: saver,
  exbVersion: saver,
  originExbVersion: saver,
  wabVersion: saver,
  timestamp: savedAt,
  savedAt,
  lastSaved: savedAt,
  publishedAt: savedAt,
  thumbnail: 'a picture that the program draws again at each save',
} as const;

/** Resources that a portal or a program makes from the content of the item. */
export const volatileResources: readonly { readonly name: RegExp; readonly reason: string }[] = [
  {
    name: /^oembed(\.json|\.xml)?$/i,
    reason: 'made from the title and the address of a story at each publishing',
  },
  { name: /^thumbnail\d*[_/]/i, reason: 'a picture in a cache, made from the thumbnail' },
];
