import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { visibleItem } from '../../access';
import { badRequest, missing, noResource, PortalFault } from '../../errors';
import type { Call } from '../../http/call';
import { cutPage, pageOf } from '../../http/params';
import { json, type Reply } from '../../http/reply';
import { read, type Route } from '../../http/router';
import type { ItemRecord } from '../../state/records';
import { changeable, inFolders } from './item-calls';

const content = '/portal/sharing/rest/content/items/:itemId';

/** The resource files of items (docs/reference/portal-interface.md, "Resources and thumbnails"). */
export const itemResourceRoutes: readonly Route[] = [
  read('item.resources', `${content}/resources`, resources),
  { ...read('item.resource', `${content}/resources/*resource`, resource), ownFormat: true },
  ...inFolders('item.addResources', 'addResources', add),
  ...inFolders('item.updateResources', 'updateResources', update),
  ...inFolders('item.removeResources', 'removeResources', remove),
];

function resources(call: Call): Reply {
  const item = visibleItem(call, call.path['itemId'] ?? '');
  const all = call.world.resources.filter(({ itemId }) => itemId === item.id);
  const { info, rows } = cutPage(all, pageOf(call.params));
  return json({
    ...info,
    resources: rows.map(({ resource: path, created, size }) => ({
      resource: path,
      created,
      size,
      access: 'inherit',
    })),
  });
}

function resource(call: Call): Reply {
  const { world, path } = call;
  const item = visibleItem(call, path['itemId'] ?? '');
  const record = world.resources.get(`${item.id}/${path['resource'] ?? ''}`);
  if (!record) throw noResource();
  const type = record.resource.endsWith('.json') ? 'application/json' : 'application/octet-stream';
  const file = world.files.resourcePath(item.id, record.resource);
  return {
    kind: 'stream',
    status: 200,
    headers: { 'content-type': type, 'content-length': record.size },
    open: () => createReadStream(file),
  };
}

/** Limit for one resource. @format bytes */
const resourceLimit = 50 * 1024 ** 2;
const resourcesLimit = 1_000;
const endings: ReadonlySet<string> = new Set(
  '.json .xml .txt .png .pbf .zip .jpeg .jpg .gif .bmp .gz .svg .svgz .geodatabase'.split(' '),
);

/** The path a request names by folder and file. @throws PortalFault 400 */
function pathOf({ params }: Call): string {
  const name = params.text('fileName') ?? params.files.get('file')?.filename;
  if (name === undefined) throw missing('fileName');
  if (/[/\\]/.test(name)) throw badRequest(`'${name}' is no file name.`);
  if (!endings.has(extname(name).toLowerCase())) throw badRequest(`File type of '${name}' is not supported.`);
  const prefix = params.text('resourcesPrefix');
  return prefix === undefined ? name : `${prefix}/${name}`;
}

async function add(call: Call): Promise<Reply> {
  const item = changeable(call);
  const path = pathOf(call);
  const { resources: all } = call.world;
  if (all.has(`${item.id}/${path}`)) throw new PortalFault(409, 'Resource already present.');
  if (call.world.resourcesOf(item.id).length >= resourcesLimit)
    throw badRequest('There are too many resources.');
  return write(call, item, path);
}

async function update(call: Call): Promise<Reply> {
  const item = changeable(call);
  const path = pathOf(call);
  if (!call.world.resources.has(`${item.id}/${path}`)) throw noResource();
  return write(call, item, path);
}

async function write({ world, params }: Call, item: ItemRecord, resource: string): Promise<Reply> {
  const file = params.files.get('file');
  const text = params.verbatim('text');
  if (!file && text === undefined) throw missing('file');
  if (file && file.bytes > resourceLimit) throw badRequest('A resource is limited to 50 MB.');
  const to = world.files.resourcePath(item.id, resource);
  const size = file ? await world.files.adopt(file.path, to) : await world.files.write(to, text ?? '');
  const created = world.resources.get(`${item.id}/${resource}`)?.created ?? world.now();
  world.resources.put(`${item.id}/${resource}`, { itemId: item.id, resource, size, created });
  world.items.change(item.id, { modified: world.now() });
  return json({ success: true, itemId: item.id, owner: item.owner, folder: item.ownerFolder });
}

async function remove(call: Call): Promise<Reply> {
  const { world, params } = call;
  const item = changeable(call);
  const isAll = params.flag('deleteAll') ?? false;
  const desired = params.text('resource');
  if (!isAll && desired === undefined) throw missing('resource');
  const gone = world.resourcesOf(item.id).filter(({ resource }) => isAll || resource === desired);
  if (gone.length === 0 && !isAll) throw noResource();
  for (const { resource } of gone) {
    world.resources.remove(`${item.id}/${resource}`);
    await rm(world.files.resourcePath(item.id, resource), { force: true });
  }
  world.items.change(item.id, { modified: world.now() });
  return json({ success: true });
}
