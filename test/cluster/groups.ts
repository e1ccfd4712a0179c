import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { SeedBuilder } from '../../src/simulator/seed/build';
import type { Simulator } from '../../src/simulator/simulator';
import type { JobRecord } from '../../src/simulator/state/records';

/** A group with the items that it should have on both sides. */
export interface Group {
  readonly route: string;
  readonly source: Simulator;
  readonly target: Simulator;
  readonly sourceId: string;
  readonly targetId: string;
  readonly itemIds: string[];
}

const KB = 1024;
/** Every so many groups one has an image whose package goes up in parts. */
const BIG_EVERY = 20;
const BIG = 65 * KB ** 2;

/** An id that tells what it is of: `a` and `b` are groups on either side, `c` items. */
export const hex = (letter: string, ...numbers: number[]): string =>
  letter +
  numbers
    .map((number) => number.toString(16).padStart(5, '0'))
    .join('')
    .padStart(31, '0');

/** A group on either side, with three items on its source. */
export function plant(number: number, source: Simulator, target: Simulator): Group {
  const [sourceId, targetId] = [hex('a', number), hex('b', number)];
  new SeedBuilder(target.world).group(targetId, `Group ${number}`);
  new SeedBuilder(source.world).group(sourceId, `Group ${number}`);
  const group = { route: `group-${number}`, source, target, sourceId, targetId, itemIds: [] };
  addItem(group, 'CSV', 2 * KB);
  addItem(group, 'CSV', 64);
  addItem(group, 'Image', number % BIG_EVERY === BIG_EVERY - 1 ? BIG : 300 * KB);
  return group;
}

/** An item comes to a group on its source. */
function addItem({ itemIds, source, sourceId }: Group, type: 'CSV' | 'Image', bytes: number): void {
  const number = parseInt(sourceId.slice(1), 16);
  const id = hex('c', number, itemIds.length);
  const name = type === 'CSV' ? 'counts.csv' : 'mosaic.tif';
  const fields = { id, title: `Item ${number}.${itemIds.length}`, type, name, groups: [sourceId] };
  new SeedBuilder(source.world).generated(fields, bytes, 1 + (number % 200));
  itemIds.push(id);
}

/** Items whose bytes on the target are not those of the source, or that are not in the group there. */
export async function differences({ source, target, targetId, itemIds }: Group): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of itemIds) {
    const [here, there] = [source, target].map(({ world }) => world.items.get(id));
    if (!here || !there || !there.groups.includes(targetId)) wrong.push(`${id} is missing`);
    else if (
      (await sha256(source.world.files.readData(here))) !== (await sha256(target.world.files.readData(there)))
    )
      wrong.push(`${id} has other bytes`);
  }
  return wrong;
}

async function sha256(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Jobs of one kind for one group that a portal has begun. */
export const jobsOf = (portal: Simulator, type: JobRecord['type'], groupId: string): JobRecord[] =>
  [...portal.world.jobs.values()].filter((job) => job.type === type && job.groupId === groupId);
