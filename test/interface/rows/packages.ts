import { expect } from '@jest/globals';
import { readItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import { downloaded, exported, packageOf } from '../transfers';

const operation = 'group.export';
const csv = { type: 'CSV' };

const packages: readonly Row[] = [
  {
    statement:
      'The package of an export is a new item of the exporting portal, which the result of the job names.',
    wire: [{ operation }, { operation: 'item.read' }],
    check: async (world) => {
      const site = await world.at();
      const id = packageOf(await exported(site, (await site.plant([csv])).groupId));
      expect(await readItem(site.as('owner'), id)).toMatchObject({ id });
    },
  },
  {
    statement: 'A package is an item of the type `Export Package`.',
    wire: { operation: 'item.read' },
    check: async (world) => {
      const site = await world.at();
      const id = packageOf(await exported(site, (await site.plant([csv])).groupId));
      expect((await readItem(site.as('owner'), id)).type).toBe('Export Package');
    },
  },
  {
    statement: 'A package carries the type keywords `Export Package` and `epk`.',
    wire: { operation: 'item.read' },
    check: async (world) => {
      const site = await world.at();
      const id = packageOf(await exported(site, (await site.plant([csv])).groupId));
      expect((await readItem(site.as('owner'), id)).typeKeywords).toEqual(['Export Package', 'epk']);
    },
  },
  {
    statement: 'The file of a package ends in `.epk`.',
    wire: { operation: 'item.read' },
    check: async (world) => {
      const site = await world.at();
      const id = packageOf(await exported(site, (await site.plant([csv])).groupId));
      expect((await readItem(site.as('owner'), id)).name).toMatch(/.\.epk$/);
    },
  },
  {
    statement: 'A package is downloaded by a GET of the data of its item.',
    wire: { operation: 'item.data', method: 'GET', path: '/content/items/<itemId>/data' },
    check: async (world) => {
      const site = await world.at();
      const id = packageOf(await exported(site, (await site.plant([csv])).groupId));
      const { size } = await readItem(site.as('owner'), id);
      expect((await downloaded(site, id)).length).toBe(size);
    },
  },
];

export const packageSection: Section = { title: 'Export package', rows: packages };
