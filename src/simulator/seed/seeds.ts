import type { SimulatorOptions } from '../options';
import type { World } from '../world';
import { SeedBuilder } from './build';
import { plantSeedFile } from './seed-file';
import { seedTransport, seedTransportGroupApps, seedTransportTarget } from './transport-seeds';

/** Groups of the seeds `empty`, `unsupported-only`, `many` and `big`. */
export const emptyGroupId = 'e0000000000000000000000000000001';
export const unsupportedGroupId = 'e0000000000000000000000000000002';
export const manyGroupId = 'e0000000000000000000000000000003';
export const bigGroupId = 'e0000000000000000000000000000004';
export const bigItemId = 'd0000000000000000000000000000001';

type Seed = (world: World, options: SimulatorOptions) => Promise<void> | void;

const seeds: Readonly<Record<string, Seed>> = {
  transport: (world) => seedTransport(world),
  'transport-own-server': (world) => seedTransport(world, true),
  'transport-group-apps': seedTransportGroupApps,
  'transport-target': seedTransportTarget,
  empty: (world) => void new SeedBuilder(world).group(emptyGroupId, 'Empty'),
  'unsupported-only': seedUnsupported,
  many: (world, { seedItems = 10_000 }) => seedMany(world, seedItems),
  big: (world, { seedBytes = 3 * 1024 ** 3 }) => seedBig(world, seedBytes),
};

/** Names of the built-in seeds. */
export const seedNames: readonly string[] = Object.keys(seeds);

/** Plants a seed in an empty world. @throws Error if there is no such seed */
export async function plantSeed(world: World, name: string, options: SimulatorOptions): Promise<void> {
  const seed = seeds[name];
  if (seed) return seed(world, options);
  if (name.endsWith('.json')) return plantSeedFile(world, name);
  throw new Error(`There is no seed "${name}"; built in are: ${seedNames.join(', ')}`);
}

function seedUnsupported(world: World): void {
  const seed = new SeedBuilder(world);
  seed.group(unsupportedGroupId, 'Unsupported');
  const groups = [unsupportedGroupId];
  seed.item({ id: 'e1000000000000000000000000000001', title: 'Board', type: 'Dashboard', groups });
  seed.item({ id: 'e1000000000000000000000000000002', title: 'Notes', type: 'Notebook', groups });
}

/** A group of many small items without files. */
export function seedMany(world: World, count: number): void {
  const seed = new SeedBuilder(world);
  seed.group(manyGroupId, 'Many');
  for (let number = 1; number <= count; number++) {
    const id = `c${number.toString(16).padStart(31, '0')}`;
    const fields = {
      id,
      title: `Count ${number}`,
      type: 'CSV',
      name: `count-${number}.csv`,
      groups: [manyGroupId],
    };
    seed.generated(fields, 64, number % 16);
  }
}

/** A group with one large image, which needs no disk until exported. */
export function seedBig(world: World, bytes: number): void {
  const seed = new SeedBuilder(world);
  seed.group(bigGroupId, 'Big');
  const fields = { id: bigItemId, title: 'Mosaic', type: 'Image', name: 'mosaic.tif', groups: [bigGroupId] };
  seed.generated(fields, bytes);
}
