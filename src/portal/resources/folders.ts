import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../client';
import { type Folder, folder } from './items/item';
import { userContentPages } from './listings';
import { FOLDER_TITLE_MAX } from '../http/limits';
import { pathOf } from '../http/address';
import { flag } from '../http/reading';
import type { CallOptions } from '../http/request';

/** A user's folders; folders do not nest. docs/reference/portal-interface.md, "Folders" */
export async function listFolders(
  portal: Portal,
  username: string,
  options?: CallOptions,
): Promise<Folder[]> {
  const folders = new Map<string, Folder>();
  for await (const page of userContentPages(portal, username, {}, options)) {
    for (const each of page.folders) folders.set(each.id, each);
  }
  return [...folders.values()];
}

/**
 * Creates a folder; `created: false` where the user has one of this title already, which is then the
 * one that comes back. docs/reference/portal-interface.md, "Folders"
 *
 * @throws PortolanError BAD_REQUEST for a title over 250 characters
 */
export async function createFolder(
  portal: Portal,
  { username, title }: { username: string; title: string },
  options?: CallOptions,
): Promise<{ folder: Folder; created: boolean }> {
  if (title.length > FOLDER_TITLE_MAX) {
    throw new PortolanError('BAD_REQUEST', `A folder title has at most ${FOLDER_TITLE_MAX} characters.`);
  }
  try {
    const answer = await portal.call(
      {
        operation: 'folder.create',
        method: 'POST',
        path: pathOf`content/users/${username}/createFolder`,
        params: { title },
        schema: z.looseObject({ folder }),
      },
      options,
    );
    return { folder: answer.folder, created: true };
  } catch (error) {
    if (!PortolanError.is(error, 'BAD_REQUEST')) throw error;
    // Whether it is taken decides, and not the words; nothing says whether a portal tells `Roads` from `roads`.
    const folders = await listFolders(portal, username, options);
    const taken =
      folders.find((each) => each.title === title) ??
      folders.find((each) => each.title?.toLowerCase() === title.toLowerCase());
    if (!taken) throw error;
    return { folder: taken, created: false };
  }
}

/** Removes a folder *with the items in it*. docs/reference/portal-interface.md, "Folders" */
export async function deleteFolder(
  portal: Portal,
  { username, folderId }: { username: string; folderId: string },
  options?: CallOptions,
): Promise<'deleted' | 'absent'> {
  try {
    await portal.call(
      {
        operation: 'folder.delete',
        method: 'POST',
        path: pathOf`content/users/${username}/${folderId}/delete`,
        schema: z.looseObject({ success: flag }),
      },
      options,
    );
    return 'deleted';
  } catch (error) {
    if (PortolanError.is(error, 'NOT_FOUND')) return 'absent';
    throw error;
  }
}
