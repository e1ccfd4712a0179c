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

/**
 * The placement of an item, by its record and group IDs. A folder that is not reported is the root, for one's own
 * items.
 */
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

/** Current placement: `hasThumbnail` is whether its thumbnail is the previous one, byte by byte. */
type PlacedNow = Omit<Placement, 'thumbnail'> & { readonly hasThumbnail: boolean };

/** How a placement differs from before. Unknown values are no difference; a newer thumbnail or group stays. */
export function displacedParts(before: Placement, now: PlacedNow): PlacementPart[] {
  const isOthers =
    before.owner !== undefined && now.owner !== undefined && !isSameUser(before.owner, now.owner);
  const differs: Record<PlacementPart, boolean> = {
    owner: isOthers,
    // Changing the owner moves an item to the root folder.
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

/** Groups an item was in and is no longer. */
export const missingGroups = (before: Placement, now: Pick<Placement, 'groups'>): string[] =>
  now.groups ? (before.groups ?? []).filter((id) => !now.groups?.includes(id)) : [];

/**
 * What could not be restored if the portal replaced the item and not just its content: one line each, as text after
 * its title. Only administrators change owners, and members share only with their own groups.
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
