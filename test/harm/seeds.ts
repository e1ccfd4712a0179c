import { SeedBuilder } from '../../src/simulator/seed/build';
import type { Simulator } from '../../src/simulator/simulator';

const MB = 1024 ** 2;

/** Groups of the portal that somebody has taken over. */
export const hostileGroups = {
  small: 'ab000000000000000000000000000001',
  /** A map with a megabyte of one address. */
  address: 'ab000000000000000000000000000002',
  /** A map that is nested 24,000 deep. */
  deep: 'ab000000000000000000000000000003',
  /** Items with titles of 100,000 letters. */
  titles: 'ab000000000000000000000000000004',
  /** A map with thousands of addresses that are wrong. */
  addresses: 'ab000000000000000000000000000005',
} as const;

/** An item that a hostile target holds already, in the group that an honest source is synced to. */
export const copied = {
  source: 'ab000000000000000000000000000011',
  target: 'ab000000000000000000000000000012',
  item: 'ab0000000000000000000000000000c1',
} as const;

const item = (number: number): string => `cd${number.toString(16).padStart(30, '0')}`;

export async function plantHostile({ world }: Simulator): Promise<typeof hostileGroups> {
  const seed = new SeedBuilder(world);
  for (const [title, id] of Object.entries(hostileGroups)) seed.group(id, title);
  const map = (number: number, group: string, data: string): Promise<unknown> =>
    seed.file({ id: item(number), title: `Map ${number}`, type: 'Web Map', groups: [group] }, data);
  seed.generated(
    { id: item(1), title: 'Counts', type: 'CSV', name: 'counts.csv', groups: [hostileGroups.small] },
    2_000,
  );
  await map(
    2,
    hostileGroups.address,
    JSON.stringify({ operationalLayers: [{ url: `//${'a'.repeat(MB)} b` }] }),
  );
  await map(3, hostileGroups.deep, `${'{"a":['.repeat(12_000)}${']}'.repeat(12_000)}`);
  for (let number = 100; number < 160; number += 1)
    seed.generated(
      {
        id: item(number),
        title: `${number} ${'t'.repeat(100_000)}`,
        type: 'CSV',
        name: `${number}.csv`,
        groups: [hostileGroups.titles],
      },
      100,
    );
  const layers = Array.from({ length: 8_000 }, (_, number) => ({
    url: `https://nobody.example.com/server/rest/services/${number}/${'x'.repeat(400)}/MapServer`,
    itemId: item(1_000_000 + number),
  }));
  await map(4, hostileGroups.addresses, JSON.stringify({ operationalLayers: layers }));
  seed.group(copied.target, 'Copied');
  seed.generated({ ...copiedItem, groups: [copied.target] }, 900);
  return hostileGroups;
}

const copiedItem = { id: copied.item, title: 'Copied', type: 'CSV', name: 'copied.csv' };

const honest = { source: 'ef000000000000000000000000000001', target: 'ef000000000000000000000000000002' };

export function plantHonest(source: Simulator, target: Simulator): typeof honest {
  new SeedBuilder(target.world).group(honest.target, 'Roads');
  const seed = new SeedBuilder(source.world);
  seed.group(honest.source, 'Roads');
  seed.group(copied.source, 'Copied');
  seed.generated({ ...copiedItem, groups: [copied.source] }, 900);
  seed.generated(
    {
      id: 'ef0000000000000000000000000000a1',
      title: 'Roads',
      type: 'CSV',
      name: 'roads.csv',
      groups: [honest.source],
    },
    2_000,
  );
  return honest;
}
