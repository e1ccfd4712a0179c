import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newItem } from '../item-records';
import type { Entry, ExportRequest, ItemRecord, JobRecord, ServiceRecord } from '../state/records';
import { entryOnWire } from '../wire';
import type { World } from '../world';
import { checkSpace, type JobProgress, tooLarge } from './job-work';
import type { Manifest } from './manifest';
import { writePackage } from './write';

/** Does the work of an export job: writes the package and adds it as an item. */
export async function exportPackage(
  world: World,
  job: JobRecord,
  request: ExportRequest,
  progress: JobProgress,
): Promise<Record<string, unknown>> {
  const adopted = world.items.find((item) => item.importedBy === job.id);
  const items = request.itemIds.map((id) => world.items.get(id)).filter((item) => item !== undefined);
  if (adopted) return resultOf(world, adopted, lists(world, items, request));
  progress.say(`Starting export of items from group '${job.groupTitle}'.`);
  if (items.length === 0 || world.settings.withoutPackage === 'all') return lists(world, items, request);
  checkSpace(world);
  const total = items.reduce((sum, item) => sum + Math.max(0, item.size), 0);
  if (total > world.settings.maxPackageBytes) throw tooLarge(world);
  await progress.pause(1);

  const fileName = request.title.replace(/\.epk$/i, '');
  const path = join(world.files.incoming, `${job.id}.epk`);
  try {
    const content = manifestOf(world, fileName, items);
    const bytes = await writePackage(world, path, content, items, progress.signal);
    progress.signal.throwIfAborted();
    if (bytes > world.settings.maxPackageBytes) throw tooLarge(world);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  const item = newItem(world, {
    owner: job.username,
    title: request.title,
    type: 'Export Package',
    typeKeywords: ['Export Package', 'epk'],
    name: `${fileName}.epk`,
    ownerFolder: request.folderId,
    importedBy: job.id,
    data: { kind: 'file' },
  });
  const size = await world.files.adopt(path, world.files.dataPath(item.id));
  world.items.put(item.id, { ...item, size });
  const exported = lists(world, items, request);
  progress.say(`Exported: ${JSON.stringify(exported)}`);
  return resultOf(world, item, exported);
}

const resultOf = (world: World, item: ItemRecord, exported: object): Record<string, unknown> => ({
  itemId: item.id,
  created: item.created,
  ...(world.settings.exportLists && exported),
});

function lists(world: World, items: readonly ItemRecord[], request: ExportRequest): Record<string, unknown> {
  const entries = (some: readonly Entry[]): unknown[] =>
    some.map((entry) => entryOnWire(world.settings, entry));
  return {
    itemsExported: items.map((item) => ({ itemId: item.id })),
    itemsSkipped: entries(request.skipped),
    itemsFailedExport: entries(request.failed),
  };
}

/** Size of a service's rows: its record has none, but the preview of its package does. */
const featureBytes = (world: World, itemId: string, { layers, tables }: ServiceRecord): number =>
  [...layers, ...tables].reduce((sum, { id }) => {
    const features = statSync(world.files.featuresPath(itemId, id), { throwIfNoEntry: false });
    return sum + (features?.size ?? 0);
  }, 0);

function manifestOf(world: World, fileName: string, items: readonly ItemRecord[]): Manifest {
  return {
    packageVersion: '1.0',
    packageCreated: world.now(),
    fileName,
    sourcePortalInfo: {
      httpsUrl: world.portalUrl,
      httpUrl: world.portalUrl,
      version: world.settings.release.long,
      portalId: world.portal.guid,
      isPortal: true,
    },
    hostingServerUrl: world.hostingServerUrl,
    items: items.map(({ id, type, title, size, created, modified }) => {
      const service = world.services.find(({ itemId }) => itemId === id);
      return {
        id,
        type,
        title,
        size: service ? featureBytes(world, id, service) : size,
        created,
        modified,
        service: service?.path,
      };
    }),
  };
}
