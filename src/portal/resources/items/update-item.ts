import { z } from 'zod';
import type { Portal } from '../../client';
import { itemRequest, type OwnedItem, success } from './items';
import { text, texts } from '../../http/reading';
import { portalError } from '../../http/response-limits';
import type { CallOptions, FilePart, Params, ParamValue } from '../../http/request';

interface ItemUpdate extends OwnedItem {
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
  { fields, file, ...item }: ItemUpdate,
  options?: CallOptions,
): Promise<void> {
  await portal.call(
    {
      ...itemRequest(item, 'update'),
      encoding: 'multipart',
      params: { ...fields, clearEmptyFields: Object.values(fields).some(clears) || undefined },
      file,
      schema: success,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
}

const clears = (value: ParamValue): boolean =>
  typeof value === 'object' && 'verbatim' in value && value.verbatim === '';

interface ItemSharing extends OwnedItem {
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
  { groups, access, ...item }: ItemSharing,
  options?: CallOptions,
): Promise<void> {
  const { notSharedWith = [] } = await portal.call(
    {
      ...itemRequest(item, 'share'),
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
  const words = `did not share item ${item.itemId} with group ${notSharedWith.join(', ')}`;
  throw portalError('PERMISSION_DENIED', portal.name, 'item.share', words);
}

const unshared = z.looseObject({ itemId: text, notUnsharedFrom: texts });

/**
 * Takes an item out of groups. docs/reference/portal-interface.md, "Sharing"
 *
 * @throws PortolanError PERMISSION_DENIED where the portal leaves it in a group, ITEM_NOT_FOUND
 */
export async function unshareItem(
  portal: Portal,
  { groups, ...item }: Omit<ItemSharing, 'access'>,
  options?: CallOptions,
): Promise<void> {
  const { notUnsharedFrom = [] } = await portal.call(
    {
      ...itemRequest(item, 'unshare'),
      params: { groups },
      schema: unshared,
      missing: 'ITEM_NOT_FOUND',
    },
    options,
  );
  if (notUnsharedFrom.length === 0) return;
  const words = `did not remove item ${item.itemId} from group ${notUnsharedFrom.join(', ')}`;
  throw portalError('PERMISSION_DENIED', portal.name, 'item.unshare', words);
}
