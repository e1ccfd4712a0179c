import { type Placement, ROOT_FOLDER } from '../../../model/transfer/placement';
import type { PlanRow } from '../../../model/transfer/plan';
import type { Item } from '../../../portal/resources/items/item';
import { readItemGroups } from '../../../portal/resources/items/items';
import { reasonOf } from '../retry';
import type { Sheet } from './verification';
import type { VerifyContext } from './verify-context';

/**
 * An item that existed keeps its owner, access, groups, folder, protection and picture: an import replaces content,
 * and what people arranged around it is theirs. The target group itself may come to its groups.
 *
 * @param placement how it stood, where that was noted: it goes before what the plan says
 */
export async function verifyUnchanged(
  context: VerifyContext,
  before: NonNullable<PlanRow['target']>,
  item: Item,
  sheet: Sheet,
  placement?: Placement,
): Promise<void> {
  compare(sheet, 'owner', placement?.owner ?? before.owner, item.owner);
  // Adding an item to the target group shares it with that group.
  const isTaken = before.inGroup === false && before.access === 'private' && item.access === 'shared';
  if (!isTaken) compare(sheet, 'access', placement?.access ?? before.access, item.access);
  if (placement?.folder === undefined) compareFolder(context, before, item, sheet);
  else comparePlacedFolder(context, { ...placement, folder: placement.folder }, item, sheet);
  await compareGroups(context, placement?.groups ?? before.groups, item, sheet);
  if (placement) compareRest(placement, item, sheet);
}

/** A folder that was told of an item is told of it again, as long as it has the same owner; nothing is the root then. */
function comparePlacedFolder(
  { listed }: VerifyContext,
  { owner, folder }: Placement & { readonly folder: string },
  item: Item,
  sheet: Sheet,
): void {
  const told = folderOf(listed.get(item.id)?.ownerFolder) ?? folderOf(item.ownerFolder);
  const now = told ?? (owner === item.owner ? ROOT_FOLDER : undefined);
  const path = 'item.ownerFolder';
  if (now === undefined) sheet.notChecked('its current folder is unknown', { path });
  else if (now !== folder) sheet.find('folder-changed', { path, value: now, hint: moveBackTo(folder) });
}

function compareRest(placement: Placement, item: Item, sheet: Sheet): void {
  const { protected: before, thumbnail } = placement;
  const now = item.protected ?? false;
  if (before !== undefined && before !== now) {
    sheet.find('protection-changed', {
      path: 'item.protected',
      value: String(now),
      hint: `Turn its delete protection ${before ? 'on' : 'off'} again.`,
    });
  }
  if (thumbnail && !item.thumbnail)
    sheet.find('thumbnail-lost', { path: 'item.thumbnail', hint: 'Restore its thumbnail.' });
}

const moveBackTo = (folder: string): string =>
  `Move it back to ${folder === ROOT_FOLDER ? 'the root folder' : folder}.`;

/**
 * Portals tell the folder of one's own items only, and some tell it in an item's record and not in a
 * group's listing. So it is compared with the same source as before: the listing for an item that stood
 * in it, else the record. What one side does not tell is never taken for a folder that changed.
 * docs/reference/portal-interface.md, "Items"
 */
function compareFolder(
  { listed }: VerifyContext,
  before: NonNullable<PlanRow['target']>,
  item: Item,
  sheet: Sheet,
): void {
  const path = 'item.ownerFolder';
  const inRecord = folderOf(item.ownerFolder);
  const then = folderOf(before.folder);
  const now = before.inGroup === false ? inRecord : folderOf(listed.get(item.id)?.ownerFolder);
  if (then !== undefined && now !== undefined) {
    if (then === now) return;
    sheet.find('folder-changed', { path, value: now, hint: moveBackTo(then) });
  } else if (then !== undefined) {
    sheet.notChecked('its current folder is unknown', { path });
  } else if (now !== undefined || inRecord !== undefined) {
    sheet.notChecked('its folder before the import is unknown', { path });
  }
}

/** A reported folder; null or nothing can mean the root or unknown. */
const folderOf = (folder: string | null | undefined): string | undefined => folder || undefined;

function compare(
  sheet: Sheet,
  field: 'owner' | 'access',
  before: string | undefined,
  after: string | undefined,
): void {
  if (before === undefined || after === undefined) {
    sheet.notChecked(`its ${field} ${before === undefined ? 'before the import' : 'now'} is unknown`, {
      path: `item.${field}`,
    });
  } else if (before !== after) {
    sheet.find(`${field}-changed`, {
      path: `item.${field}`,
      value: after,
      hint: `Set it back to ${before}.`,
    });
  }
}

async function compareGroups(
  { target, targetGroupId, retryOnTarget, groupsOnTarget, options }: VerifyContext,
  before: readonly string[] | undefined,
  item: Item,
  sheet: Sheet,
): Promise<void> {
  if (before === undefined) {
    sheet.notChecked('its groups before the import are unknown', { path: 'item.groups' });
    return;
  }
  try {
    const groups = await retryOnTarget(() => readItemGroups(target, item.id, options));
    const after = new Set([...groups.admin, ...groups.member, ...groups.other].map(({ id }) => id));
    const lost = before.filter((id) => !after.has(id));
    const gained = [...after].filter((id) => !before.includes(id) && id !== targetGroupId);
    for (const id of lost) {
      if (await retryOnTarget(() => groupsOnTarget.isListed(id, item.id))) continue;
      sheet.find('groups-changed', {
        path: 'item.groups',
        value: id,
        hint: `Share it again with group ${id}.`,
      });
    }
    for (const id of gained) {
      sheet.find('groups-changed', { path: 'item.groups', value: id, hint: `Remove it from group ${id}.` });
    }
  } catch (thrown) {
    sheet.notChecked(reasonOf(thrown), { path: 'item.groups' });
  }
}
