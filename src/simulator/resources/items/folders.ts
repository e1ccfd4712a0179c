import { findFolder, folderOf } from '../../access';
import { badRequest, missing, noFolder } from '../../errors';
import { selfOrAdministrator, writable, type Call } from '../../http/call';
import { json, type Reply } from '../../http/reply';
import { write, type Route } from '../../http/router';
import { deleteItemNow } from '../../item-records';

/** Folders of a user (docs/reference/portal-interface.md, "Folders"). */
export const folderRoutes: readonly Route[] = [
  write('folder.create', '/portal/sharing/rest/content/users/:username/createFolder', create),
  write('folder.update', '/portal/sharing/rest/content/users/:username/:folderId/updateFolder', update),
  write('folder.delete', '/portal/sharing/rest/content/users/:username/:folderId/delete', remove),
];

const longestTitle = 250;

function freeTitle(call: Call, name: string, username: string): string {
  const title = call.params.text(name);
  if (title === undefined) throw missing(name);
  if (title.length > longestTitle) throw badRequest(`A folder title has at most ${longestTitle} characters.`);
  if (findFolder(call.world, username, title)) {
    throw badRequest('Unable to create folder.', `Folder title '${title}' not available.`);
  }
  return title;
}

function create(call: Call): Reply {
  writable(call);
  const { world } = call;
  const { username } = selfOrAdministrator(call, call.path['username'] ?? '');
  const title = freeTitle(call, call.params.text('folderName') ? 'folderName' : 'title', username);
  const folder = { id: world.newId(), username, title, created: world.now() };
  world.folders.put(folder.id, folder);
  return json({ success: true, folder: { username, id: folder.id, title } });
}

function update(call: Call): Reply {
  writable(call);
  const { world } = call;
  const { username } = selfOrAdministrator(call, call.path['username'] ?? '');
  const folder = folderOf(world, username, call.path['folderId']);
  if (!folder) throw noFolder();
  const title = freeTitle(call, 'newTitle', username);
  world.folders.change(folder.id, { title });
  return json({ success: true, folder: { username, id: folder.id, title } });
}

/** Also deletes the items in the folder. */
async function remove(call: Call): Promise<Reply> {
  writable(call);
  const { world } = call;
  const { username } = selfOrAdministrator(call, call.path['username'] ?? '');
  const folder = folderOf(world, username, call.path['folderId']);
  if (!folder) throw noFolder();
  const inside = world.items.filter((item) => item.ownerFolder === folder.id);
  if (inside.some((item) => item.protected))
    throw badRequest('Unable to delete folder. Delete protection is turned on.');
  for (const item of inside) await deleteItemNow(world, item);
  world.folders.remove(folder.id);
  return json({ success: true, folder: { username, id: folder.id, title: folder.title } });
}
