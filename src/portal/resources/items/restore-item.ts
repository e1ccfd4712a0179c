import { buffer } from 'node:stream/consumers';
import { PortolanError } from '../../../model/errors/errors';
import { addItem } from './add-item';
import { reachOf } from '../../../model/transfer/placement';
import type { Portal } from '../../client';
import { listFolders } from '../folders';
import type { Item } from './item';
import { sendUnderFreeName } from './free-file-name';
import { copiedFields, differingFields } from './item-fields';
import { type ItemFile, protectItem, removeThumbnail, setItemFiles } from './item-files';
import { GroupsOfItems } from './item-groups';
import { findItem, readItem } from './items';
import { userContentPages } from '../listings';
import { portalError } from '../../http/response-limits';
import type { CallOptions, FilePart, FileSource, Params } from '../../http/request';
import { shareItem, unshareItem, updateItem } from './update-item';

/** An item as it once was: its record as `readItem` gave it, and the bytes of its data. */
export interface ItemCopy {
  readonly record: Item;
  /** Absent or without bytes where the item had no data. */
  readonly data?: FileSource;
  /** All that it had beside its data. @default its files are left as they are */
  readonly files?: readonly (ItemFile & { readonly source: FileSource })[];
  /** Who gets the item where it is gone; one that is there stays its owner's. */
  readonly owner: string;
  /** Folder of that owner, in which it is made where it is gone. @default the root folder, also if that folder is gone */
  readonly folderId?: string;
  /** Ids of groups that hold it in the end; those that hold it besides keep it. @default as it is */
  readonly groups?: readonly string[];
  /** Ids of groups that do not hold it in the end. @default none */
  readonly notGroups?: readonly string[];
}

/** How an item was put back. */
interface RestoredItem {
  readonly how: 'updated' | 'added';
  /** Its file name now, if another item in its folder has its own name. */
  readonly renamed?: string;
}

/**
 * Puts an item back to what it was: fields of its record that differ, its data, its resources and thumbnail, its
 * groups, who sees it where that has become fewer, and its protection. One that is gone is made again under its id.
 * What portals set themselves (`created`, `modified`, views), owner and folder of an item that is there are not
 * touched; an item that had no data, or text, keeps data and the name of a file that it was given since. A repeat does no harm.
 * docs/reference/portal-interface.md, "Update item", "Add item" and "Resources and thumbnails"
 *
 * @throws PortolanError PERMISSION_DENIED, ITEM_NOT_FOUND, BAD_REQUEST, among others where the id is in use out of sight
 */
export async function restoreItemCopy(
  portal: Portal,
  copy: ItemCopy,
  options?: CallOptions,
): Promise<RestoredItem> {
  const { record } = copy;
  const content = await contentOf(copy);
  const present = await findItem(portal, record.id, options);
  const { folderId, renamed } = present
    ? await updated(portal, copy, present, content, options)
    : await addAgain(portal, copy, content, options);
  const now = present ?? (await readItem(portal, record.id, options));
  const placed = { owner: now.owner ?? copy.owner, itemId: record.id, folderId: folderId || undefined };
  if (copy.files) {
    await setItemFiles(portal, placed, copy.files, options);
    const hadThumbnail = copy.files.some(({ kind }) => kind === 'thumbnail');
    if (now.thumbnail && !hadThumbnail) await removeThumbnail(portal, placed, options);
  }
  await share(portal, copy, { ...now, ownerFolder: folderId }, options);
  if (record.protected !== undefined && record.protected !== (now.protected ?? false))
    await protectItem(portal, placed, record.protected, options);
  return { how: present ? 'updated' : 'added', ...(renamed !== undefined && { renamed }) };
}

interface Content {
  readonly fields: Params;
  readonly file?: FilePart;
}

/** Data that is sent as text is held in memory; more is a file. @format bytes */
const TEXT_BYTES_MAX = 10 * 1024 ** 2;

/** Items without a file name were made of text, and stay so. */
async function contentOf({ record, data }: ItemCopy): Promise<Content> {
  if (!data || data.size === 0) return { fields: {} };
  if (!record.name && data.size <= TEXT_BYTES_MAX) {
    const text = textIn(await buffer(data.open(0, data.size)));
    if (text !== undefined) return { fields: { text } };
  }
  return { fields: {}, file: { filename: record.name ?? record.id, source: data } };
}

function textIn(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Where an item is now, and its file name if that is another one than before. */
interface Written {
  readonly folderId: string | undefined;
  readonly renamed?: string | undefined;
}

async function updated(
  portal: Portal,
  { record, owner }: ItemCopy,
  present: Item,
  content: Content,
  options?: CallOptions,
): Promise<Written> {
  const item = { owner: present.owner ?? owner, itemId: record.id };
  const fields = { ...differingFields(record, present), ...content.fields };
  const folderId = present.ownerFolder || undefined;
  if (Object.keys(fields).length === 0 && !content.file) return { folderId };
  const writeIn = async (folder: string | undefined): Promise<Written> => {
    const placed = { ...item, folderId: folder };
    const send = (file: FilePart | undefined) => updateItem(portal, { ...placed, fields, file }, options);
    return {
      folderId: folder,
      renamed: await sendUnderFreeName(portal, placed, content.file, send, options),
    };
  };
  try {
    return await writeIn(folderId);
  } catch (thrown) {
    const gone = PortolanError.is(thrown, 'ITEM_NOT_FOUND');
    const found = gone && !folderId ? await folderHolding(portal, item, options) : undefined;
    if (found === undefined) throw thrown;
    return await writeIn(found);
  }
}

/** Some portals take item calls only at the item's folder, and do not tell which it is. */
async function folderHolding(
  portal: Portal,
  { owner, itemId }: { owner: string; itemId: string },
  options?: CallOptions,
): Promise<string | undefined> {
  for (const { id } of await listFolders(portal, owner, options)) {
    for await (const page of userContentPages(portal, owner, { folderId: id }, options)) {
      if (page.items.some((item) => item.id === itemId)) return id;
    }
  }
  return undefined;
}

async function addAgain(
  portal: Portal,
  { record, owner, folderId: desired }: ItemCopy,
  content: Content,
  options?: CallOptions,
): Promise<Written> {
  const folders = desired ? await listFolders(portal, owner, options) : [];
  const folderId = folders.find(({ id }) => id === desired)?.id;
  const fields = { ...copiedFields(record), itemIdToCreate: record.id, ...content.fields };
  let id: string | undefined;
  const send = async (file: FilePart | undefined): Promise<void> => {
    const params = { ...fields, filename: file?.filename };
    ({ id } = await addItem(portal, { username: owner, folderId, params, file }, options));
  };
  const item = { owner, itemId: record.id, folderId };
  const renamed = await sendUnderFreeName(portal, item, content.file, send, options);
  if (id === record.id) return { folderId, renamed };
  const words = `created item ${id} instead of recreating ${record.id}`;
  throw portalError('BAD_RESPONSE', portal.name, 'item.add', words);
}

async function share(
  portal: Portal,
  { record, owner, groups = [], notGroups = [] }: ItemCopy,
  now: Item,
  options?: CallOptions,
): Promise<void> {
  const isAsked = groups.length + notGroups.length > 0;
  const found = isAsked ? await new GroupsOfItems(portal, options).find(record.id, notGroups) : undefined;
  const held = new Set(found?.ids);
  const missing = groups.filter((id) => !held.has(id));
  const wider = reachOf(record.access) > reachOf(now.access);
  const item = {
    owner: now.owner ?? owner,
    itemId: record.id,
    folderId: now.ownerFolder || undefined,
  };
  const leaves = notGroups.filter((id) => held.has(id));
  if (leaves.length > 0) await unshareItem(portal, { ...item, groups: leaves }, options);
  if (missing.length === 0 && !wider) return;
  await shareItem(portal, { ...item, groups: missing, access: wider ? record.access : undefined }, options);
}
