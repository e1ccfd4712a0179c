import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ItemRecord } from '../../src/simulator/state/records';
import type { World } from '../../src/simulator/world';
import type { Site } from '../support/site';

/** An item of the target as far as an import decides about it; the portals' own addresses stand as names. */
export type TargetItem = Record<string, unknown>;

/** Fields that differ from one import to the next, and where the portal keeps its bytes. */
const passing: ReadonlySet<keyof ItemRecord> = new Set([
  'created',
  'modified',
  'data',
  'importedBy',
  'indexedAt',
  'readableAt',
]);

/** Texts with addresses in them are smaller than this; only their bytes are compared beyond. */
const TEXT_MAX = 1024 ** 2;

/** Everything that the target holds: records, data, resources, layers and rows, byte by byte. */
export async function targetItems({ source, target }: Site): Promise<TargetItem[]> {
  const { world } = target;
  const addresses = [
    [source.world.origin, '{source}'],
    [target.world.origin, '{target}'],
  ] as const;
  const named = (text: string): string =>
    addresses.reduce((sofar, [address, name]) => sofar.replaceAll(address, name), text);
  const hashed = (bytes: Buffer): string =>
    createHash('sha256')
      .update(bytes.length < TEXT_MAX ? named(bytes.toString('latin1')) : bytes)
      .digest('hex');
  const items = [...world.items.values()].sort((one, other) => one.id.localeCompare(other.id));
  return await Promise.all(
    items.map(async (item) => ({
      ...(JSON.parse(named(JSON.stringify(lasting(world, item)))) as TargetItem),
      data: hashed(await buffer(world.files.readData(item))),
      resources: await Promise.all(
        world
          .resourcesOf(item.id)
          .map(async ({ resource }) => [
            resource,
            hashed(await readFile(world.files.resourcePath(item.id, resource))),
          ]),
      ),
      layers: await layersOf(world, item.id, hashed),
    })),
  );
}

function lasting(world: World, item: ItemRecord): TargetItem {
  const fields = Object.entries(item).filter(([name]) => !passing.has(name as keyof ItemRecord));
  const { ownerFolder } = item;
  return { ...Object.fromEntries(fields), ownerFolder: ownerFolder && world.folders.get(ownerFolder)?.title };
}

async function layersOf(world: World, itemId: string, hashed: (bytes: Buffer) => string): Promise<unknown> {
  const service = world.services.find((each) => each.itemId === itemId);
  if (!service) return undefined;
  const rows = [...service.layers, ...service.tables].map(async ({ lastEditDate: _, ...layer }) => {
    const file = await readFile(world.files.featuresPath(itemId, layer.id)).catch(() => Buffer.alloc(0));
    return { ...layer, rows: hashed(file) };
  });
  return { path: service.path, layers: await Promise.all(rows) };
}
