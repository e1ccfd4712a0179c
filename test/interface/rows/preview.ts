import { expect } from '@jest/globals';
import { previewImport } from '../../../src/portal/resources/group-import';
import { readPreviewPage } from '../../../src/portal/resources/import-preview';
import { findItem } from '../../../src/portal/resources/items/items';
import type { Row, Section, Wire } from '../row';
import { csv, downloaded, imported, packed, uploaded } from '../transfers';

const request: Wire = {
  operation: 'group.import',
  params: { previewOnly: 'true', overwriteExistingItems: 'false', async: 'false' },
  without: ['start', 'num'],
};
const page: Wire = {
  operation: 'group.importPreview',
  method: 'GET',
  path: '/community/groups/<groupId>/importPreview/<previewId>',
};

type Packed = Awaited<ReturnType<typeof packed>>;

const ask = ({ to, groupId, packageId }: Packed) =>
  previewImport(to.as('owner'), groupId, {
    itemId: packageId,
    overwriteExistingItems: false,
    version: to.version,
  });

async function preview(given: Packed) {
  const outcome = await ask(given);
  if (outcome.kind !== 'preview') throw new Error('An import has started.');
  return outcome.preview;
}

const rows: readonly Row[] = [
  {
    statement: 'Describes the package and its rows, and imports nothing.',
    wire: request,
    check: async (_site, world) => {
      const given = await packed(world);
      const { from, to, ids, packageId } = given;
      const portal = from.simulator.world.portalUrl;
      expect(await preview(given)).toMatchObject({
        packageSummary: {
          id: expect.stringMatching(/./),
          sourcePortalInfo: { httpsUrl: portal, httpUrl: portal, version: '11.2.0' },
        },
        total: 2,
        start: 1,
        nextStart: -1,
        results: ids.map((id) => {
          const { type, title, size, modified } = from.item(id)!;
          return { id, type, title, size, modified, exists: false, canImport: true };
        }),
      });
      expect(await findItem(to.as('owner'), ids[0] ?? '')).toBeUndefined();
      expect(await findItem(to.as('owner'), packageId)).toBeDefined();
    },
  },
  {
    statement: 'Has a first page of 25 rows.',
    wire: request,
    check: async (_site, world) => {
      const given = await packed(
        world,
        Array.from({ length: 26 }, () => csv),
      );
      const { total, nextStart, results } = await preview(given);
      expect([total, nextStart]).toEqual([26, 26]);
      expect(results.map(({ id }) => id)).toEqual(given.ids.slice(0, 25));
    },
  },
  {
    statement: "Has pages at its own address, under the package's ID.",
    wire: [
      { ...page, params: { f: 'json', start: '1', num: '100' } },
      { ...page, params: { start: '1', num: '2' } },
      { ...page, params: { start: '3', num: '2' } },
    ],
    check: async (_site, world) => {
      const given = await packed(world, [csv, csv, csv]);
      await preview(given);
      const read = async (range: { start?: number; num?: number }) => {
        const { to, groupId, packageId } = given;
        const { results, nextStart } = await readPreviewPage(to.as('owner'), groupId, packageId, range);
        return [results.map(({ id }) => id), nextStart];
      };
      expect(await read({})).toEqual([given.ids, -1]);
      expect(await read({ start: 1, num: 2 })).toEqual([given.ids.slice(0, 2), 3]);
      expect(await read({ start: 3, num: 2 })).toEqual([given.ids.slice(2), -1]);
    },
  },
  {
    statement: 'Shows which items exist.',
    wire: request,
    check: async (_site, world) => {
      const given = await packed(world);
      const bytes = await downloaded(given.to, given.packageId);
      await given.bring({ itemIdList: given.ids.slice(0, 1) });
      const { results } = await preview({ ...given, packageId: await uploaded(given.to, bytes) });
      expect(results.map(({ exists }) => exists)).toEqual([true, false]);
    },
  },
  {
    statement: 'Shows which items cannot be imported, on portals that refuse foreign ones.',
    wire: request,
    check: async (_site, world) => {
      const given = await packed(world);
      const { to, ids, packageId } = given;
      const elsewhere = await to.plant();
      const copy = await uploaded(to, await downloaded(to, packageId));
      await imported(to, elsewhere.groupId, copy, { itemIdList: ids.slice(0, 1) });
      const { results } = await to.set({ refuseForeign: true }, () => preview(given));
      expect(results.map(({ canImport }) => canImport)).toEqual([false, true]);
    },
  },
  {
    statement: '**Portolan** reads a job in place of a preview as a started import.',
    wire: request,
    check: async (_site, world) => {
      const given = await packed(world);
      const outcome = await given.to.set({ ignorePreviewOnly: true }, () => ask(given));
      expect(outcome).toMatchObject({ kind: 'started', started: { kind: 'job' } });
    },
  },
];

export const previewSection: Section = { title: 'Import preview', rows };
