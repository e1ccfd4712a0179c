import {
  type Placement,
  type PlacementPart,
  placementParts,
  ROOT_FOLDER,
} from '../../model/transfer/placement';
import { isSameUser } from '../../model/text/same-user';
import type { Item } from '../../portal/resources/items/item';
import type { ItemGroups } from '../../portal/resources/items/items';
import type { PortalFacts } from './portal-facts';

/** Where an item stands, by its record and the ids of its groups. A folder that is not told is the root of one's own items. */
export function placementOf(
  { owner, ownerFolder, access, protected: isProtected }: Item,
  groups: readonly string[] | undefined,
  username: string | undefined,
): Omit<Placement, 'thumbnail'> {
  const isOwn = isSameUser(owner, username);
  return {
    owner,
    folder: ownerFolder || (isOwn ? ROOT_FOLDER : undefined),
    access,
    groups: groups && [...groups],
    protected: isProtected,
  };
}

/** How far an item can be seen beyond the groups that hold it. */
export const reachOf = (access: string | undefined): number =>
  access === 'public' ? 2 : access === 'org' ? 1 : 0;

/** As an item stands now: `hasThumbnail` is whether its picture is that of before, byte by byte. */
type PlacedNow = Omit<Placement, 'thumbnail'> & { readonly hasThumbnail: boolean };

/**
 * In what an item stands otherwise than before. What was not told, then or now, is no difference; a picture or a group
 * that came since stays.
 */
export function displacedParts(before: Placement, now: PlacedNow): PlacementPart[] {
  const isOthers =
    before.owner !== undefined && now.owner !== undefined && !isSameUser(before.owner, now.owner);
  const differs: Record<PlacementPart, boolean> = {
    owner: isOthers,
    // Whoever an item is given back to gets it into the root.
    folder:
      before.folder !== undefined &&
      (isOthers ? before.folder !== ROOT_FOLDER : now.folder !== undefined && now.folder !== before.folder),
    sharing:
      (before.access !== undefined &&
        now.access !== undefined &&
        reachOf(before.access) !== reachOf(now.access)) ||
      missingGroups(before, now).length > 0,
    thumbnail: before.thumbnail !== undefined && !now.hasThumbnail,
    protection: before.protected !== undefined && before.protected !== (now.protected ?? false),
  };
  return placementParts.filter((part) => differs[part]);
}

/** Groups that held an item and do not any more. */
export const missingGroups = (before: Placement, now: Pick<Placement, 'groups'>): string[] =>
  now.groups ? (before.groups ?? []).filter((id) => !now.groups?.includes(id)) : [];

/**
 * What could not be put back of an item, should the portal replace it and not just its content: a line each, in words
 * that follow its title. Only administrators give items to others, and members share items only with their own groups.
 * @param groups the item's own list of them
 */
export function unrestorableParts(
  before: Placement | undefined,
  groups: ItemGroups | undefined,
  { username, fullAdmin }: Pick<PortalFacts, 'username' | 'fullAdmin'>,
): string[] {
  if (!before) return ['cannot be read, so its owner, folder and sharing could not be restored'];
  const isOwn = isSameUser(before.owner, username);
  const others = fullAdmin ? [] : (groups?.other ?? []);
  return [
    ...(isOwn || fullAdmin
      ? []
      : [`belongs to ${before.owner ?? 'someone else'}; only an administrator can give it back`]),
    ...(before.folder === undefined ? ['is in a folder that the portal does not report'] : []),
    ...(groups === undefined ? ['is in groups that the portal does not report'] : []),
    ...others.map(
      ({ id }) => `is shared with group ${id}, of which ${username ?? 'this account'} is not a member`,
    ),
  ];
}
