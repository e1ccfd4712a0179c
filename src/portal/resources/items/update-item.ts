import { z } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../client';
import { ownedPath } from './items';
import { flag, text, texts } from '../../http/reading';
import type { CallOptions, FilePart, Params, ParamValue } from '../../http/request';

export interface ItemUpdate {
  readonly owner: string;
  readonly itemId: string;
  /** Folder in which the owner has it, where the portal takes item calls only there. @default the root folder */
  readonly folderId?: string;
  /** Only what is named is changed; `{ verbatim: '' }` clears a field. */
  readonly fields: Params;
  /** Takes the place of the item's file, and gives the item its name. */
  readonly file?: FilePart;
}

/**
 * Changes fields of an item, and its data where `file` or the field `text` is given. docs/reference/portal-interface.md, "Update item"
 *
 * @throws PortolanError ITEM_NOT_FOUND, PERMISSION_DENIED, BAD_REQUEST
 */
export async function updateItem(
  portal: Portal,
  { owner, itemId, folderId, fields, file }: ItemUpdate,
  options?: CallOptions,
): Promise<void> {
  await portal.call(
    {
      operation: 'item.update',
      method: 'POST',
      encoding: 'multipart',
      path: `${ownedPath(owner, itemId, folderId)}/update`,
      params: { ...fields, clearEmptyFields: Object.values(fields).some(clears) || undefined },
      file,
      schema: z.looseObject({ success: flag }),
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
}

const clears = (value: ParamValue): boolean =>
  typeof value === 'object' && 'verbatim' in value && value.verbatim === '';

export interface ItemSharing {
  readonly owner: string;
  readonly itemId: string;
  readonly folderId?: string;
  /** Ids of groups that the item is added to; those that hold it already keep it. */
  readonly groups: readonly string[];
  /** Sharing level: `public`, `org` or private; absent leaves it unchanged. */
  readonly access?: string;
}

const shared = z.looseObject({ itemId: text, notSharedWith: texts });

/**
 * Adds an item to groups, also to those whose members may update it. docs/reference/portal-interface.md, "Sharing"
 *
 * @throws PortolanError PERMISSION_DENIED where the portal leaves out a group, ITEM_NOT_FOUND
 */
export async function shareItem(
  portal: Portal,
  { owner, itemId, folderId, groups, access }: ItemSharing,
  options?: CallOptions,
): Promise<void> {
  const { notSharedWith = [] } = await portal.call(
    {
      operation: 'item.share',
      method: 'POST',
      path: `${ownedPath(owner, itemId, folderId)}/share`,
      params: {
        groups,
        ...(access !== undefined && {
          everyone: access === 'public',
          org: access === 'public' || access === 'org',
        }),
        confirmItemControl: true,
      },
      schema: shared,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
  if (notSharedWith.length === 0) return;
  throw new PortolanError(
    'PERMISSION_DENIED',
    `${portal.name} did not share item ${itemId} with group ${notSharedWith.join(', ')}.`,
    { portal: portal.name, operation: 'item.share' },
  );
}

const unshared = z.looseObject({ itemId: text, notUnsharedFrom: texts });

/**
 * Takes an item out of groups. docs/reference/portal-interface.md, "Sharing"
 *
 * @throws PortolanError PERMISSION_DENIED where the portal leaves it in a group, ITEM_NOT_FOUND
 */
export async function unshareItem(
  portal: Portal,
  { owner, itemId, folderId, groups }: Omit<ItemSharing, 'access'>,
  options?: CallOptions,
): Promise<void> {
  const { notUnsharedFrom = [] } = await portal.call(
    {
      operation: 'item.unshare',
      method: 'POST',
      path: `${ownedPath(owner, itemId, folderId)}/unshare`,
      params: { groups },
      schema: unshared,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
  if (notUnsharedFrom.length === 0) return;
  throw new PortolanError(
    'PERMISSION_DENIED',
    `${portal.name} did not remove item ${itemId} from group ${notUnsharedFrom.join(', ')}.`,
    { portal: portal.name, operation: 'item.unshare' },
  );
}
