import type { Portal } from '../../client';
import type { CallOptions } from '../../http/request';
import { changeItem } from './item-files';
import type { OwnedItem } from './items';

/**
 * Gives an item to another user, into the root of what is theirs. For administrators.
 * docs/reference/portal-interface.md, "Placement"
 *
 * @throws PortolanError PERMISSION_DENIED, ITEM_NOT_FOUND, BAD_REQUEST
 */
export const reassignItem = (
  portal: Portal,
  item: OwnedItem,
  username: string,
  options?: CallOptions,
): Promise<void> =>
  changeItem(
    portal,
    item,
    { name: 'reassign', params: { targetUsername: username, targetFolderName: '/' } },
    options,
  );

/**
 * Moves an item to a folder of its owner; `/` is the root. docs/reference/portal-interface.md, "Placement"
 *
 * @throws PortolanError PERMISSION_DENIED, ITEM_NOT_FOUND, BAD_REQUEST where there is no such folder
 */
export const moveItem = (
  portal: Portal,
  item: OwnedItem,
  folder: string,
  options?: CallOptions,
): Promise<void> => changeItem(portal, item, { name: 'move', params: { folder } }, options);
