import {
  type Placement,
  type PlacementPart,
  placementParts,
  reachOf,
  ROOT_FOLDER,
} from '../../model/transfer/placement';
import type { RouteTarget } from '../../model/transfer/route';
import { isSameUser } from '../../model/identity';
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

/** Current placement. */
export type PlacedNow = Omit<Placement, 'thumbnail'> & {
  /** It may be in more groups than these. @default false */
  readonly hidesGroups?: boolean;
  /** Whether its thumbnail is the desired one, byte by byte. */
  readonly hasThumbnail?: boolean;
};

export type PlacementField = 'owner' | 'folder' | 'access' | 'groups' | 'thumbnail' | 'protection';

/** `unknown`: not reported now. */
type PlacementDifferences = Partial<Record<PlacementField, 'differs' | 'unknown'>>;

/**
 * How an item's placement differs from the desired one. Only desired values are compared; a newer thumbnail or group
 * stays.
 */
export function placementDifferences(desired: Placement, now: PlacedNow): PlacementDifferences {
  const owner = compared(desired.owner, now.owner, isSameUser);
  const lost = lostGroups(desired, now);
  return {
    owner,
    // Changing the owner moves an item to the root folder.
    folder: compared(desired.folder, owner === 'differs' ? ROOT_FOLDER : now.folder, Object.is),
    access: compared(desired.access, now.access, (one, other) => reachOf(one) === reachOf(other)),
    groups:
      lost.length > 0
        ? 'differs'
        : desired.groups && (!now.groups || now.hidesGroups)
          ? 'unknown'
          : undefined,
    thumbnail: desired.thumbnail && compared(true, now.hasThumbnail, Object.is),
    protection: compared(desired.protected, now.protected ?? false, Object.is),
  };
}

function compared<T>(
  desired: T | undefined,
  now: T | undefined,
  isSame: (desired: T, now: T) => boolean,
): 'differs' | 'unknown' | undefined {
  if (desired === undefined) return undefined;
  if (now === undefined) return 'unknown';
  return isSame(desired, now) ? undefined : 'differs';
}

/** Groups an item was in and is no longer. */
export const lostGroups = (before: Placement, now: Pick<Placement, 'groups'>): string[] =>
  now.groups ? (before.groups ?? []).filter((id) => !now.groups?.includes(id)) : [];

const fieldsOf: Readonly<Record<PlacementPart, readonly PlacementField[]>> = {
  owner: ['owner'],
  folder: ['folder'],
  sharing: ['access', 'groups'],
  thumbnail: ['thumbnail'],
  protection: ['protection'],
};

/** The parts of a placement to restore. Unknown values are left alone. */
export function displacedParts(desired: Placement, now: PlacedNow): PlacementPart[] {
  const differences = placementDifferences(desired, now);
  return placementParts.filter((part) => fieldsOf[part].some((field) => differences[field] === 'differs'));
}

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

interface Arranged {
  /** @default the importing account */
  readonly owner?: string;
  readonly account?: string;
  readonly target: Pick<RouteTarget, 'groupId' | 'folderId'>;
  /** Further groups that are to have it. */
  readonly groups?: readonly string[];
}

/**
 * The desired placement of a created item: that on the source, but in the target's groups and with an owner
 * from the target. Parts that are not known, and a folder named by the route, stay as the import leaves them. Only the
 * folder's title is known until the owner's folders have been read.
 */
export function arrangedPlacement(
  before: Placement | undefined,
  { owner, account, target, groups = [] }: Arranged,
): Placement {
  const { folder, folderTitle, access, protected: isProtected, thumbnail } = before ?? {};
  const isRoutes = target.folderId !== undefined && (owner === undefined || isSameUser(owner, account));
  const isRoot = folder === ROOT_FOLDER;
  return {
    owner: owner ?? account,
    folder: isRoot && !isRoutes ? ROOT_FOLDER : undefined,
    folderTitle: isRoot || isRoutes ? undefined : folderTitle,
    access,
    groups: [target.groupId, ...groups],
    protected: isProtected,
    thumbnail,
  };
}
