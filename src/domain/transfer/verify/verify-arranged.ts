import { type Placement, ROOT_FOLDER } from '../../../model/transfer/placement';
import type { Item } from '../../../portal/resources/items/item';
import { isSameUser } from '../../../model/text/same-user';
import { reachOf } from '../placements';
import type { Sheet } from './verification';

/** What of an item as it stands now its record does not tell. */
export interface ArrangedNow {
  /** Id of the folder in which it lies, or anything else where that is not the one in which it is to lie; undefined where it is not known. */
  readonly folder?: string;
  /** Whether its picture is the one that it is to have, byte by byte. */
  readonly hasThumbnail: boolean;
}

/** An item that a run created stands as the run was to put it right. */
export function verifyArranged(desired: Placement, item: Item, now: ArrangedNow, sheet: Sheet): void {
  if (desired.owner !== undefined && !isSameUser(item.owner, desired.owner)) {
    sheet.find('owner-differs', {
      path: 'item.owner',
      value: item.owner,
      hint: `Change its owner to ${desired.owner}.`,
    });
  }
  if (desired.access !== undefined && reachOf(item.access) !== reachOf(desired.access)) {
    sheet.find('access-differs', {
      path: 'item.access',
      value: item.access,
      hint: `Share it as on the source: ${desired.access}.`,
    });
  }
  verifyFolder(desired, now, sheet);
  const isProtected = item.protected ?? false;
  if (desired.protected !== undefined && desired.protected !== isProtected) {
    sheet.find('protection-differs', {
      path: 'item.protected',
      value: String(isProtected),
      hint: `Turn its delete protection ${desired.protected ? 'on' : 'off'}.`,
    });
  }
  if (desired.thumbnail && !now.hasThumbnail) {
    sheet.find('thumbnail-differs', {
      path: 'item.thumbnail',
      value: item.thumbnail,
      hint: 'Set the thumbnail it has on the source.',
    });
  }
}

function verifyFolder({ folder, folderTitle }: Placement, now: ArrangedNow, sheet: Sheet): void {
  const path = 'item.ownerFolder';
  const named = folderTitle === undefined ? 'the root folder' : `the folder "${folderTitle}"`;
  const hint = `Move it to ${named} of its owner.`;
  if (folder === undefined) {
    if (folderTitle !== undefined) sheet.find('folder-differs', { path, hint });
    return;
  }
  if (now.folder === undefined) sheet.notChecked('its folder is unknown', { path });
  else if (now.folder !== folder)
    sheet.find('folder-differs', { path, value: now.folder === ROOT_FOLDER ? '/' : now.folder, hint });
}
