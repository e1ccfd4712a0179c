import { type Placement, ROOT_FOLDER } from '../../../model/transfer/placement';
import type { Item } from '../../../portal/resources/items/item';
import { lostGroups, type PlacedNow, type PlacementField, placementDifferences } from '../placements';
import { reasonOf } from '../retry';
import type { Sheet } from './verification';
import type { VerifyContext } from './verify-context';

/** How an item is to be placed: as before the import, or as the run that created it was to place it. */
export interface ExpectedPlacement {
  readonly placement: Placement;
  /** The import created it. */
  readonly isNew: boolean;
}

/** Compares an item's placement with the expected one. */
export async function verifyPlacement(
  { places, listed, targetGroupId, retryOnTarget }: VerifyContext,
  expected: ExpectedPlacement,
  item: Item,
  sheet: Sheet,
): Promise<void> {
  // Some portals name the folder only in the record, others only in a group's listing.
  const told = { ...item, ownerFolder: item.ownerFolder || listed.get(item.id)?.ownerFolder };
  // The listing of the target group shows whether it holds a new item.
  const { placement, isNew } = expected;
  const desired = isNew ? { ...placement, groups: undefined } : placement;
  const failed = new Map<PlacementField, string>();
  const now = await places.read(told, desired, async (field, read) => {
    try {
      return await retryOnTarget(read);
    } catch (thrown) {
      failed.set(field, reasonOf(thrown));
      return undefined;
    }
  });
  reportPlacement({ placement: desired, isNew }, now, item, sheet, { targetGroupId, failed });
}

interface Reported {
  readonly targetGroupId: string;
  /** Why values could not be read. @default all were read */
  readonly failed?: ReadonlyMap<PlacementField, string>;
}

const placementFields = ['owner', 'access', 'folder', 'groups', 'thumbnail', 'protection'] as const;

const pathOf = (field: PlacementField): string =>
  `item.${field === 'folder' ? 'ownerFolder' : field === 'protection' ? 'protected' : field}`;

/** Reports how an item's placement differs, and what of it is unknown. */
export function reportPlacement(
  { placement: desired, isNew }: ExpectedPlacement,
  now: PlacedNow,
  { thumbnail }: Item,
  sheet: Sheet,
  { targetGroupId, failed }: Reported,
): void {
  const differences = placementDifferences(desired, now);
  const check = (field: Exclude<PlacementField, 'groups'>, value: string | undefined, hint: string): void => {
    if (differences[field] === 'differs')
      sheet.find(`${field}-differs`, { path: pathOf(field), value, hint });
  };
  check('owner', now.owner, `Change its owner to ${desired.owner}.`);
  check('access', now.access, `Set its sharing level to ${desired.access}.`);
  const moveIt = `Move it to ${folderName(desired)} of its owner.`;
  check('folder', now.folder, moveIt);
  // It could not be created.
  if (desired.folder === undefined && desired.folderTitle !== undefined)
    sheet.find('folder-differs', { path: pathOf('folder'), hint: moveIt });
  check(
    'protection',
    String(now.protected ?? false),
    `Turn its delete protection ${desired.protected ? 'on' : 'off'}.`,
  );
  check('thumbnail', thumbnail, 'Set the thumbnail that its snapshot holds.');
  const isOther = (groupId: string): boolean => groupId !== targetGroupId;
  const gained = desired.groups && now.groups?.filter((id) => !desired.groups?.includes(id));
  for (const [groupIds, hint] of [
    [lostGroups(desired, now), 'Share it again with group'],
    [gained ?? [], 'Remove it from group'],
  ] as const)
    for (const value of groupIds.filter(isOther))
      sheet.find('groups-differ', { path: pathOf('groups'), value, hint: `${hint} ${value}.` });
  const untold = isNew ? [] : untoldBefore(desired, now);
  for (const field of placementFields) {
    const is = field === 'groups' ? 'are' : 'is';
    const path = pathOf(field);
    if (untold.includes(field)) sheet.notChecked(`its ${field} before the import ${is} unknown`, { path });
    else if (differences[field] === 'unknown')
      sheet.notChecked(failed?.get(field) ?? `its ${field} ${is} unknown`, { path });
  }
}

/** What was not reported before the import. A folder that is never reported is the root, or another user's. */
const untoldBefore = (before: Placement, now: PlacedNow): PlacementField[] =>
  placementFields.filter((field) =>
    field === 'folder'
      ? before.folder === undefined && now.folder !== undefined && now.folder !== ROOT_FOLDER
      : (field === 'owner' || field === 'access' || field === 'groups') && before[field] === undefined,
  );

const folderName = ({ folder, folderTitle }: Placement): string => {
  if (folder === ROOT_FOLDER) return 'the root folder';
  return folderTitle === undefined ? `folder ${folder}` : `the folder "${folderTitle}"`;
};
