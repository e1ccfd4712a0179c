import { isAdministrator, folderNamed, folderOf, visibleGroup, visibleItem } from '../access';
import { badRequest, denied, missing, noResource, noUser, PortalFault } from '../errors';
import { writable, type Call } from '../http/call';
import { cutPage, pageOf } from '../http/params';
import { json, type Reply } from '../http/reply';
import { read, write, type Route } from '../http/router';
import { reasonToSkip } from '../package/exportable';
import { reasonNotToOverwrite } from '../package/import';
import type { Manifest } from '../package/manifest';
import { PackageReader } from '../package/read';
import type { GroupRecord, ImportRequest, ItemRecord, UserRecord } from '../state/records';
import { Release } from '../versions';
import { ownerOrAdministrator } from './groups';
import { transferExists } from './group-export';

/** Import of a package into a group, and its preview (docs/reference/portal-interface.md, "Import"). */
export const groupImportRoutes: readonly Route[] = [
  write('group.import', '/portal/sharing/rest/community/groups/:groupId/import', importGroup),
  read(
    'group.importPreview',
    '/portal/sharing/rest/community/groups/:groupId/importPreview/:previewId',
    previewPage,
  ),
];

/** Default number of preview rows. */
const previewRows = 25;

async function importGroup(call: Call): Promise<Reply> {
  transferExists(call);
  const { world, params, settings } = call;
  const group = visibleGroup(call, call.path['groupId'] ?? '');
  const user = ownerOrAdministrator(call, group);
  const id = params.text('itemId');
  if (id === undefined) throw missing('itemId');
  const item = packageItem(call, id);
  const content = await readManifest(call, item);
  const preview = params.flag('previewOnly') === true;
  if (preview && !settings.ignorePreviewOnly) {
    world.items.change(item.id, { previews: { [group.id]: Date.now(), ...item.previews } });
    return json(previewOf(call, group, user, item, content));
  }
  writable(call);
  const request: ImportRequest = {
    kind: 'import',
    packageId: item.id,
    itemIds: params.list('itemIdList'),
    overwrite: params.flag('overwriteExistingItems') ?? false,
    keepPackage: (settings.release.atLeast('11.3') && params.flag('keepPackageItemAfterImport')) || false,
    ...destination(call, user),
  };
  const asynchronous = preview || (params.flag('async') ?? false);
  const job = call.jobs.start(group, user, request);
  if (asynchronous) return json({ jobId: job.jobId, key: job.key });
  await job.done;
  const outcome = call.jobs.outcome(job.jobId);
  if (!outcome?.ok)
    throw new PortalFault(500, world.jobs.get(job.jobId)?.messages.at(-1) ?? 'Import failed.');
  return json({ result: outcome.result });
}

function packageItem(call: Call, id: string): ItemRecord {
  const item = visibleItem(call, id);
  if (item.type !== 'Export Package') throw badRequest('The item is not of type Export Package.');
  return item;
}

/** @throws PortalFault 400 if it is no package, or comes from a later release than this portal's */
async function readManifest({ world, settings }: Call, item: ItemRecord): Promise<Manifest> {
  const content = manifests.get(item) ?? (await manifestOf(world.files.dataPath(item.id)));
  manifests.set(item, content);
  const source = new Release(content.sourcePortalInfo.version);
  if (!settings.release.atLeast(source)) {
    throw badRequest(
      `The package was created by version ${source.text}, later than ${settings.release.long}.`,
    );
  }
  return content;
}

/** A preview is read page by page, and opening the package for each would cost more than everything else. */
const manifests = new WeakMap<ItemRecord, Manifest>();

async function manifestOf(path: string): Promise<Manifest> {
  const reader = await PackageReader.open(path);
  reader.close();
  return reader.manifest;
}

/** Folder parameters exist from 10.9, `importContentFolder` from 11.4; older portals ignore them. */
function destination(call: Call, user: UserRecord): { folderId: string | null; folderOwner: string } {
  const { world, params, settings } = call;
  if (!settings.release.atLeast('10.9')) return { folderId: null, folderOwner: user.username };
  const folderOwner = params.text('folderOwnerUsername') ?? user.username;
  if (!world.users.has(folderOwner)) throw noUser();
  if (folderOwner !== user.username && !isAdministrator(user)) throw denied();
  const id = params.text('folderId');
  if (id === '/') return { folderId: settings.release.atLeast('11.4') ? '/' : null, folderOwner };
  if (id !== undefined) return { folderId: folderOf(world, folderOwner, id)?.id ?? null, folderOwner };
  const title = settings.release.atLeast('11.4') ? params.text('importContentFolder') : undefined;
  return { folderId: title === undefined ? null : folderNamed(world, folderOwner, title).id, folderOwner };
}

/** The preview is paged by the package's item ID, once requested and prepared. */
async function previewPage(call: Call): Promise<Reply> {
  transferExists(call);
  const group = visibleGroup(call, call.path['groupId'] ?? '');
  const user = ownerOrAdministrator(call, group);
  const desired = call.path['previewId'] ?? '';
  const item = call.world.items.find((one) => previewIdOf(call, one) === desired);
  const asked = item?.previews?.[group.id];
  if (!item || asked === undefined || Date.now() < asked + call.settings.previewLagMs) throw noResource();
  const content = await readManifest(call, packageItem(call, item.id));
  return json(previewOf(call, group, user, item, content));
}

const previewIdOf = ({ world, settings }: Call, item: ItemRecord): string =>
  settings.previewId === 'item' ? item.id : world.hash(`preview ${item.id}`).slice(0, 32);

function previewOf(
  call: Call,
  group: GroupRecord,
  user: UserRecord,
  item: ItemRecord,
  content: Manifest,
): object {
  const { info, rows } = cutPage(content.items, pageOf(call.params, previewRows));
  return {
    packageSummary: {
      id: previewIdOf(call, item),
      fileName: content.fileName,
      packageVersion: content.packageVersion,
      packageCreated: content.packageCreated,
      sourcePortalInfo: content.sourcePortalInfo,
    },
    ...info,
    results: rows.map((row) => previewRow(call, group, user, row)),
  };
}

function previewRow(
  call: Call,
  group: GroupRecord,
  user: UserRecord,
  row: Manifest['items'][number],
): object {
  const { world, settings } = call;
  const existing = world.items.get(row.id);
  const typed = { type: row.type, typeKeywords: ['Hosted Service'] };
  const canImport =
    reasonToSkip(typed, settings.release) === undefined &&
    (!existing || reasonNotToOverwrite(world, existing, row, group.id, user) === undefined);
  const { id, type, title, size, created, modified } = row;
  return {
    id,
    type,
    title,
    size,
    exists: existing !== undefined && existing.deletedAt === undefined,
    canImport,
    created,
    modified,
  };
}
