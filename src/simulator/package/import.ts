import { PortalFault } from '../errors';
import { folderNamed, mayUpdateItem } from '../access';
import { deleteItemNow, newItem, requireFreeName } from '../item-records';
import type {
  Entry,
  FolderRecord,
  ImportRequest,
  ItemRecord,
  JobRecord,
  LayerRecord,
  ServiceRecord,
  UserRecord,
} from '../state/records';
import { entryOnWire } from '../wire';
import type { World } from '../world';
import { checkSpace, type JobProgress, tooLarge } from './job-work';
import { entryNames, type Manifest } from './manifest';
import { PackageReader } from './read';
import { holdsReferences, rewriteBelow, rewriteFor, type Rewrite } from './rewrite';

interface Lists {
  readonly imported: Entry[];
  readonly skipped: Entry[];
  readonly failed: Entry[];
}

/** Does the work of an import job: items keep their IDs, and their URLs become the target's. */
export async function importPackage(
  world: World,
  job: JobRecord,
  request: ImportRequest,
  progress: JobProgress,
): Promise<Record<string, unknown>> {
  progress.say(`Starting import of items from EPK item '${request.packageId}' to group '${job.groupTitle}'.`);
  checkSpace(world);
  const packageItem = world.items.get(request.packageId);
  if (!packageItem) throw new PortalFault(400, 'Item does not exist or is inaccessible.');
  if (packageItem.size > world.settings.maxPackageBytes) throw tooLarge(world);
  const reader = await PackageReader.open(world.files.dataPath(packageItem.id));
  try {
    const rows = reader.manifest.items.filter(({ id }) => request.itemIds?.includes(id) ?? true);
    progress.say(
      `Starting the import of exported package item '${request.packageId}' containing ${rows.length} items.`,
      `Import option to overwrite items if they exist is set to '${request.overwrite}'.`,
    );
    if (rows.some(({ id }) => world.settings.failing.includes(id))) {
      throw new PortalFault(500, 'The content of the package could not be imported.');
    }
    const task = new ImportTask(world, job, request, reader, progress.signal);
    const lists: Lists = { imported: [], skipped: [], failed: [] };
    const desired = new Map(rows.map((row) => [row.id, row]));
    for await (const line of reader.itemLines()) {
      const packed = JSON.parse(line) as ItemRecord;
      const row = desired.get(packed.id);
      if (!row) continue;
      await progress.pause(1 / rows.length);
      await task.take(row, { line, name: packed.name }, lists);
    }
    if (rows.length === 0) await progress.pause(1);
    const result = listsOnWire(world, lists);
    progress.say(`Imported: ${JSON.stringify(result)}`);
    return result;
  } finally {
    reader.close();
  }
}

export function listsOnWire(world: World, lists: Lists): Record<string, unknown> {
  const entries = (some: readonly Entry[]): unknown[] =>
    some.map((entry) => entryOnWire(world.settings, entry));
  return {
    itemsImported: lists.imported.map(({ itemId }) => ({ itemId })),
    itemsSkipped: entries(lists.skipped),
    itemsFailedImport: entries(lists.failed),
  };
}

/**
 * Why an existing item is not overwritten; undefined if it may be. Owner, group and type matter only on portals set to
 * refuse foreign items.
 */
export function reasonNotToOverwrite(
  world: World,
  existing: ItemRecord,
  row: { type: string },
  groupId: string,
  user: UserRecord,
): string | undefined {
  if (existing.deletedAt !== undefined) return 'The item is in the recycle bin.';
  if (!world.settings.refuseForeign) return undefined;
  if (existing.type !== row.type) return `The item exists with type ${existing.type}.`;
  if (!existing.groups.includes(groupId)) return 'The item exists outside of the group.';
  if (!mayUpdateItem(world, existing, user)) return 'The item belongs to another user.';
  return undefined;
}

class ImportTask {
  private readonly rewrite: Rewrite;
  private readonly servicePaths = new Map<string, string>();
  private folder: FolderRecord | null | undefined;

  constructor(
    private readonly world: World,
    private readonly job: JobRecord,
    private readonly request: ImportRequest,
    private readonly reader: PackageReader,
    private readonly signal: AbortSignal,
  ) {
    this.rewrite = rewriteFor(world, reader.manifest, this.nameServices());
  }

  async take(
    row: Manifest['items'][number],
    { line, name }: { readonly line: string; readonly name: string | null },
    lists: Lists,
  ): Promise<void> {
    const { world, job, request } = this;
    const existing = world.items.get(row.id);
    // Imported by this job before the portal restarted.
    if (existing?.importedBy === job.id) return void lists.imported.push({ itemId: row.id });
    if (existing && existing.deletedAt === undefined && !request.overwrite) {
      return void lists.skipped.push({ itemId: row.id, reason: 'The item already exists.' });
    }
    const user = world.users.get(job.username)!;
    const refusal = existing && reasonNotToOverwrite(world, existing, row, job.groupId, user);
    if (refusal) return void lists.failed.push({ itemId: row.id, reason: refusal });
    const { failImport, maxItemBytes } = world.settings;
    if (row.size > maxItemBytes) {
      const reason = `The item exceeds the limit of ${maxItemBytes} bytes.`;
      return void lists.failed.push({ itemId: row.id, reason });
    }
    if (failImport.includes(row.id)) {
      return void lists.failed.push({ itemId: row.id, reason: 'The item could not be imported.' });
    }
    const stays = existing && world.settings.overwriting === 'keep';
    const refusedName = stays ? undefined : this.refusedName(row.id, name);
    if (refusedName) return void lists.failed.push({ itemId: row.id, reason: refusedName });
    if (existing && !stays) await deleteItemNow(world, existing);
    await this.write(line, stays ? existing : undefined);
    lists.imported.push({ itemId: row.id });
  }

  /** Why an item cannot be created under its file name. */
  private refusedName(id: string, name: string | null): string | undefined {
    try {
      const { folderOwner: owner } = this.request;
      requireFreeName(this.world, { id, name, owner, ownerFolder: this.folderId() });
      return undefined;
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }

  private async write(line: string, existing: ItemRecord | undefined): Promise<void> {
    const { world, job } = this;
    const packed = JSON.parse(this.rewrite(line)) as ItemRecord;
    const data = await this.writeData(packed);
    await this.writeResources(packed.id);
    await this.writeThumbnail(packed.id);
    await this.writeService(packed.id);
    this.signal.throwIfAborted();
    const now = Date.now();
    const made = world.now();
    world.items.put(
      packed.id,
      newItem(world, {
        ...packed,
        ...data,
        ...(!world.settings.importThumbnails && { thumbnail: existing?.thumbnail ?? null }),
        readableAt: now,
        indexedAt: now + world.settings.searchLagMs,
        importedBy: job.id,
        deletedAt: undefined,
        previews: undefined,
        ...(existing
          ? {
              owner: existing.owner,
              ownerFolder: existing.ownerFolder,
              access: existing.access,
              groups: [...new Set([...existing.groups, job.groupId])],
              protected: existing.protected,
              created: existing.created,
              modified: made,
            }
          : {
              owner: this.request.folderOwner,
              ownerFolder: this.folderId(),
              access: 'shared',
              groups: [job.groupId],
              protected: false,
              created: world.settings.importedCreated === 'source' ? packed.created : made,
              modified: made,
            }),
      }),
    );
  }

  /** Without a folder, uses the portal's default name and creates it when needed. */
  private folderId(): string | null {
    if (this.request.folderId !== null) return this.request.folderId === '/' ? null : this.request.folderId;
    const title = this.world.settings.importFolder ?? this.job.groupTitle;
    this.folder ??= folderNamed(this.world, this.request.folderOwner, title);
    return this.folder.id;
  }

  private async writeData(packed: ItemRecord): Promise<Pick<ItemRecord, 'size' | 'data'>> {
    const { world, reader } = this;
    const rewrites = holdsReferences(packed.type) && packed.size < rewriteBelow;
    if (packed.data?.kind === 'inline') {
      const bytes = Buffer.from(packed.data.base64, 'base64');
      const kept = rewrites ? Buffer.from(this.rewrite(bytes.toString())) : bytes;
      return world.files.keepData(packed.id, kept, kept.length);
    }
    const name = entryNames.data(packed.id);
    if (!reader.has(name)) return { size: packed.size, data: null };
    if (rewrites) {
      const bytes = Buffer.from(this.rewrite(await reader.text(name)));
      return world.files.keepData(packed.id, bytes, bytes.length);
    }
    return world.files.keepData(packed.id, await reader.stream(name), packed.size);
  }

  private async writeResources(id: string): Promise<void> {
    const { world, reader } = this;
    for (const { resource } of world.resourcesOf(id)) world.resources.remove(`${id}/${resource}`);
    for (const resource of reader.resourcesOf(id)) {
      const name = entryNames.resource(id, resource);
      const path = world.files.resourcePath(id, resource);
      const isText = resource.endsWith('.json');
      const content = isText ? this.rewrite(await reader.text(name)) : await reader.stream(name);
      const size = await world.files.write(path, content);
      world.resources.put(`${id}/${resource}`, { itemId: id, resource, size, created: world.now() });
    }
  }

  private async writeThumbnail(id: string): Promise<void> {
    const name = entryNames.thumbnail(id);
    if (!this.world.settings.importThumbnails) return;
    if (this.reader.has(name))
      await this.world.files.write(this.world.files.thumbnailPath(id), await this.reader.stream(name));
  }

  private async writeService(id: string): Promise<void> {
    const { world, reader } = this;
    const path = this.servicePaths.get(id);
    if (path === undefined) return;
    const packed = JSON.parse(await reader.text(entryNames.service(id))) as ServiceRecord;
    for (const layer of [...packed.layers, ...packed.tables]) {
      const name = entryNames.features(id, layer.id);
      if (reader.has(name))
        await world.files.write(world.files.featuresPath(id, layer.id), await reader.stream(name));
    }
    // The service is recreated, so its layers were last edited by this import.
    const fresh = (layer: LayerRecord): LayerRecord =>
      layer.lastEditDate === undefined ? layer : { ...layer, lastEditDate: world.now() };
    const [layers, tables] = [packed.layers.map(fresh), packed.tables.map(fresh)];
    world.services.put(path, { path, itemId: id, layers, tables });
  }

  /** A hosted service keeps its name if free on the target; otherwise it is numbered. */
  private nameServices(): Map<string, string> {
    const { world, reader } = this;
    const renamed = new Map<string, string>();
    for (const { id, service } of reader.manifest.items) {
      if (service === undefined) continue;
      const own = world.services.find(({ itemId }) => itemId === id)?.path;
      const path = own ?? freePath(world, service);
      this.servicePaths.set(id, path);
      if (path !== service) {
        const from = `${reader.manifest.hostingServerUrl}${restPath(service)}`;
        renamed.set(from, `${world.hostingServerUrl}${restPath(path)}`);
      }
    }
    return renamed;
  }
}

/** URL path below the server of a service such as `server/Hosted/Roads/FeatureServer`. */
const restPath = (service: string): string => `/rest/services/${service.split('/').slice(1).join('/')}`;

function freePath(world: World, service: string): string {
  if (!world.services.has(service)) return service;
  for (let number = 1; ; number++) {
    const path = service.replace(/\/([^/]+)$/, `_${number}/$1`);
    if (!world.services.has(path)) return path;
  }
}
