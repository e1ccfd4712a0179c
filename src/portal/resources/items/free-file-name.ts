import path from 'node:path';
import { PortolanError } from '../../../model/errors/errors';
import type { Portal } from '../../client';
import type { CallOptions, FilePart } from '../../http/request';
import { userContentPages } from '../listings';
import type { OwnedItem } from './items';

/**
 * Sends an item's file under its name or, if another item has that name in the folder, under a free one: some portals
 * take a file name once for each owner and folder. The listing of the folder decides, not the portal's words.
 * docs/reference/portal-interface.md, "Add item"
 *
 * @returns the free name, if the file was sent under one
 */
export async function sendUnderFreeName(
  portal: Portal,
  item: OwnedItem,
  file: FilePart | undefined,
  send: (file: FilePart | undefined) => Promise<unknown>,
  options?: CallOptions,
): Promise<string | undefined> {
  try {
    await send(file);
    return undefined;
  } catch (thrown) {
    const isRefused = PortolanError.is(thrown, 'BAD_REQUEST');
    const filename = file && isRefused ? await freeName(portal, item, file.filename, options) : undefined;
    if (!file || filename === undefined) throw thrown;
    await send({ ...file, filename });
    return filename;
  }
}

/** Undefined if no other item of the folder has the name. */
async function freeName(
  portal: Portal,
  { owner, itemId, folderId }: OwnedItem,
  name: string,
  options?: CallOptions,
): Promise<string | undefined> {
  const taken = new Set<string>();
  for await (const { items } of userContentPages(portal, owner, { folderId }, options))
    for (const each of items) if (each.id !== itemId && each.name) taken.add(each.name.toLowerCase());
  if (!taken.has(name.toLowerCase())) return undefined;
  const { name: stem, ext } = path.parse(name);
  for (let number = 1; ; number += 1) {
    const free = `${stem}_${number}${ext}`;
    if (!taken.has(free.toLowerCase())) return free;
  }
}
