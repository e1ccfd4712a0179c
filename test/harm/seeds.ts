import { SeedBuilder } from '../../src/simulator/seed/build';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import type { Pair } from '../harness/pair';

const MB = 1024 ** 2;
const groups = [transportGroupId];

const idOf = (number: number): string => `cd${number.toString(16).padStart(30, '0')}`;

/** An item of both portals whose export fails on the target. */
export const copied = idOf(0);

export function plantCopied({ source, target }: Pair): void {
  const item = { id: copied, title: 'Copied', type: 'CSV', name: 'copied.csv' };
  new SeedBuilder(source.world).generated({ ...item, groups }, 900);
  new SeedBuilder(target.world).generated({ ...item, groups: [transportTargetGroupId] }, 900);
}

const map =
  (data: string) =>
  async ({ source }: Pair): Promise<void> => {
    const item = { id: idOf(1), title: 'Map', type: 'Web Map', groups };
    await new SeedBuilder(source.world).file(item, data);
  };

const nowhere = Array.from({ length: 8_000 }, (_, number) => ({
  url: `https://nobody.example.com/server/rest/services/${number}/${'x'.repeat(400)}/MapServer`,
  itemId: idOf(1_000_000 + number),
}));

/** What people can publish in the group. */
export const plant: Record<string, (pair: Pair) => Promise<void>> = {
  'a megabyte of one address in a map': map(
    JSON.stringify({ operationalLayers: [{ url: `//${'a'.repeat(MB)} b` }] }),
  ),
  'a map that is nested 24,000 deep': map(`${'{"a":['.repeat(12_000)}${']}'.repeat(12_000)}`),
  async 'titles of 100,000 letters'({ source }) {
    const seed = new SeedBuilder(source.world);
    for (let number = 100; number < 160; number += 1) {
      const title = `${number} ${'t'.repeat(100_000)}`;
      seed.generated({ id: idOf(number), title, type: 'CSV', name: `${number}.csv`, groups }, 100);
    }
  },
  '8,000 addresses in a map, that lead nowhere': map(JSON.stringify({ operationalLayers: nowhere })),
};
