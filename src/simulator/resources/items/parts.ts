import { badRequest, missing, PortalFault } from '../../errors';
import { writable, type Call } from '../../http/call';
import { json, type Reply } from '../../http/reply';
import { read, write, type Route } from '../../http/router';
import type { World } from '../../world';
import { itemFields, ownItem } from './item-calls';

const users = '/portal/sharing/rest/content/users/:username';

/** Uploads in parts (docs/reference/portal-interface.md, "Parts"). */
export const partRoutes: readonly Route[] = [
  ...inFolders(write, 'item.addPart', 'addPart', addPart),
  ...inFolders(read, 'item.parts', 'parts', parts),
  ...inFolders(write, 'item.commit', 'commit', commit),
  ...inFolders(write, 'item.cancelUpload', 'cancel', cancel),
  ...inFolders(read, 'item.status', 'status', status),
];

function inFolders(make: typeof read, operation: string, name: string, handler: Route['handler']): Route[] {
  return [
    make(operation, `${users}/items/:itemId/${name}`, handler),
    make(operation, `${users}/:folderId/items/:itemId/${name}`, handler),
  ];
}

const mostParts = 10_000;
/** Minimum size of every part but the last. @format bytes */
const leastPartBytes = 5 * 1024 * 1024;

async function addPart(call: Call): Promise<Reply> {
  writable(call);
  const { world, params } = call;
  const item = ownItem(call);
  if (item.status !== 'partial') throw badRequest('The item is not being uploaded in parts.');
  const number = params.integer('partNum') ?? params.integer('partNumber');
  if (number === undefined) throw missing('partNum');
  if (number < 1 || number > mostParts) throw badRequest(`'partNum' must be from 1 to ${mostParts}.`);
  const file = params.files.get('file');
  if (!file) throw missing('file');
  await world.files.adopt(file.path, world.files.partPath(item.id, number));
  return json({ success: true, id: item.id });
}

async function parts(call: Call): Promise<Reply> {
  const item = ownItem(call);
  return json({ parts: await call.world.files.parts(item.id) });
}

/** Responds at once; the parts are joined afterwards. */
async function commit(call: Call): Promise<Reply> {
  writable(call);
  const { world } = call;
  const item = ownItem(call);
  if (item.status === 'partial') {
    const sizes = await world.files.partSizes(item.id);
    if (sizes.length === 0) throw badRequest('No parts were added.');
    if (sizes.slice(0, -1).some((size) => size < leastPartBytes)) {
      throw badRequest('Every part but the last must have at least 5 MB.');
    }
    world.items.change(item.id, { ...itemFields(call), status: 'processing' });
    joinParts(world, item.id);
  }
  return json({ success: true, id: item.id });
}

/** Joins the parts in the background; the item is readable a little later than its status says. */
export function joinParts(world: World, itemId: string): void {
  const join = finishCommit(world, itemId).finally(() => world.joins.delete(join));
  world.joins.add(join);
}

async function finishCommit(world: World, itemId: string): Promise<void> {
  try {
    const size = await world.files.joinParts(itemId, () => world.closed);
    if (size === undefined || world.closed || !world.items.has(itemId)) return;
    const now = Date.now();
    world.items.change(itemId, {
      size,
      data: { kind: 'file' },
      status: 'completed',
      modified: world.now(),
      readableAt: now + world.settings.commitLagMs,
      indexedAt: now + world.settings.commitLagMs + world.settings.searchLagMs,
    });
    await world.files.dropParts(itemId);
  } catch (error) {
    if (world.closed || !world.items.has(itemId)) return;
    world.items.change(itemId, { status: 'failed', statusMessage: wordsOf(error) });
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function cancel(call: Call): Promise<Reply> {
  writable(call);
  const item = ownItem(call);
  if (item.status !== 'partial') throw new PortalFault(400, 'The item is not being uploaded in parts.');
  await call.world.files.dropParts(item.id);
  call.world.items.remove(item.id);
  return json({ success: true, id: item.id });
}

function status(call: Call): Reply {
  const item = ownItem(call);
  return json({ status: item.status, statusMessage: item.statusMessage ?? item.status, itemId: item.id });
}
