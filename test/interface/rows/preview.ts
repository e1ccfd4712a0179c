import { expect } from '@jest/globals';
import { readPreviewPage } from '../../../src/portal/resources/import-preview';
import { previewImport } from '../../../src/portal/resources/group-import';
import { findItem } from '../../../src/portal/resources/items/items';
import type { Row, Section, Wire } from '../row';
import type { Holding, Site } from '../site';
import { brought, downloaded, imported, uploaded } from '../transfers';
import type { World } from '../world';

const asked: Wire = { operation: 'group.import', params: { previewOnly: 'true' } };
const paged: Wire = {
  operation: 'group.importPreview',
  method: 'GET',
  path: '/community/groups/<groupId>/importPreview/<previewId>',
};

interface Previewed {
  readonly from: Site;
  readonly to: Site;
  readonly holding: Holding;
  readonly packageId: string;
  readonly groupId: string;
}

async function packed(world: World, count = 2): Promise<Previewed> {
  const [from, to] = [await world.at(), await world.receiving()];
  const holding = await from.plant(Array.from({ length: count }, () => ({ type: 'CSV' })));
  const packageId = await brought(from, to, holding);
  const { groupId } = await to.plant();
  return { from, to, holding, packageId, groupId };
}

async function preview({ to, groupId, packageId }: Previewed) {
  const request = { itemId: packageId, overwriteExistingItems: false, version: to.version };
  const outcome = await previewImport(to.as('owner'), groupId, request);
  if (outcome.kind !== 'preview') throw new Error('an import was started');
  return outcome.preview;
}

/** A member of the record that Portolan reads under the same name. */
const member = (
  statement: string,
  check: (read: Awaited<ReturnType<typeof preview>>, given: Previewed) => void | Promise<void>,
): Row => ({
  statement,
  wire: asked,
  check: async (world) => {
    const given = await packed(world);
    await check(await preview(given), given);
  },
});

const summary: readonly Row[] = [
  {
    statement:
      '`packageSummary.id` is a text that names the package; the pages are asked for under the id of the package item (_relied on_).',
    wire: [asked, paged],
    check: async (world) => {
      const given = await packed(world);
      expect((await preview(given)).packageSummary?.id).toMatch(/./);
      const page = await readPreviewPage(given.to.as('owner'), given.groupId, given.packageId, {});
      expect(page.results).toHaveLength(2);
    },
  },
  member('`sourcePortalInfo.httpsUrl` is the secure address of the exporting portal.', (read, { from }) =>
    expect(read.packageSummary?.sourcePortalInfo?.httpsUrl).toBe(from.simulator.world.portalUrl),
  ),
  member('`sourcePortalInfo.httpUrl` is its plain address.', (read, { from }) =>
    expect(read.packageSummary?.sourcePortalInfo?.httpUrl).toBe(from.simulator.world.portalUrl),
  ),
  member('`sourcePortalInfo.version` is the release of the exporting portal, a text.', (read) =>
    expect(read.packageSummary?.sourcePortalInfo?.version).toBe('11.2.0'),
  ),
];

const paging: readonly Row[] = [
  member('`total` is how many items the package holds.', (read) => expect(read.total).toBe(2)),
  {
    statement: '`start` is the first row of a page, counted from 1.',
    wire: { ...paged, params: { start: '2', num: '1' } },
    check: async (world) => {
      const given = await packed(world, 3);
      await preview(given);
      const page = await readPreviewPage(given.to.as('owner'), given.groupId, given.packageId, {
        start: 2,
        num: 1,
      });
      expect(page.results.map(({ id }) => id)).toEqual(given.holding.ids.slice(1, 2));
    },
  },
  {
    statement: '`num` asks for so many rows; the last page has those that are left.',
    wire: { ...paged, params: { num: '2' } },
    check: async (world) => {
      const given = await packed(world, 3);
      await preview(given);
      const page = await readPreviewPage(given.to.as('owner'), given.groupId, given.packageId, { num: 2 });
      const last = await readPreviewPage(given.to.as('owner'), given.groupId, given.packageId, {
        start: 3,
        num: 2,
      });
      expect([page.results.length, last.results.length]).toEqual([2, 1]);
    },
  },
  {
    statement: '`nextStart` is where the next page begins, and -1 on the last one.',
    wire: [
      { ...paged, params: { start: '1' } },
      { ...paged, params: { start: '3' } },
    ],
    check: async (world) => {
      const given = await packed(world, 3);
      await preview(given);
      const read = (start: number) =>
        readPreviewPage(given.to.as('owner'), given.groupId, given.packageId, { start, num: 2 });
      expect([(await read(1)).nextStart, (await read(3)).nextStart]).toEqual([3, -1]);
    },
  },
];

const rowMembers: readonly Row[] = [
  member('`id` of a row is the id of an item.', (read, { holding }) =>
    expect(read.results.map(({ id }) => id)).toEqual(holding.ids),
  ),
  member('`type` of a row is the type of the item.', (read) => expect(read.results[0]?.type).toBe('CSV')),
  member('`title` of a row is the title of the item.', (read, { from, holding }) =>
    expect(read.results[0]?.title).toBe(from.item(holding.ids[0] ?? '')?.title),
  ),
  member('`size` of a row is a whole number; _relied on_: bytes.', (read, { from, holding }) =>
    expect(read.results[0]?.size).toBe(from.item(holding.ids[0] ?? '')?.size),
  ),
  member('`modified` of a row is a time in whole milliseconds since the epoch.', (read, { from, holding }) =>
    expect(read.results[0]?.modified).toBe(from.item(holding.ids[0] ?? '')?.modified),
  ),
  {
    statement: '`exists` of a row says whether the importing organization has the item already.',
    wire: asked,
    check: async (world) => {
      const given = await packed(world);
      const bytes = await downloaded(given.to, given.packageId);
      await imported(given.to, given.groupId, given.packageId, { itemIdList: given.holding.ids.slice(0, 1) });
      const again = await preview({ ...given, packageId: await uploaded(given.to, bytes) });
      expect(again.results.map(({ exists }) => exists)).toEqual([true, false]);
    },
  },
  {
    statement: '`canImport` of a row says whether an import would take the item.',
    wire: asked,
    check: async (world) => {
      const given = await packed(world);
      expect((await preview(given)).results.map(({ canImport }) => canImport)).toEqual([true, true]);
      // Only portals that refuse what lies outside of the group know rows that cannot be imported.
      given.to.simulator.settings.refuseForeign = true;
      const bytes = await downloaded(given.to, given.packageId);
      const elsewhere = await given.to.plant();
      const first = await uploaded(given.to, bytes);
      await imported(given.to, elsewhere.groupId, first, { itemIdList: given.holding.ids.slice(0, 1) });
      const again = await preview(given);
      given.to.simulator.settings.refuseForeign = false;
      expect(again.results.map(({ canImport }) => canImport)).toEqual([false, true]);
    },
  },
];

const asking: readonly Row[] = [
  {
    statement: 'With `previewOnly=true` nothing is imported, and the package stays.',
    wire: asked,
    check: async (world) => {
      const given = await packed(world);
      await preview(given);
      expect(await findItem(given.to.as('owner'), given.holding.ids[0] ?? '')).toBeUndefined();
      expect(await findItem(given.to.as('owner'), given.packageId)).toBeDefined();
    },
  },
  {
    statement: 'With `previewOnly=true` the answer is the description of the package, with its first page.',
    wire: asked,
    check: async (world) => {
      expect(Object.keys(await preview(await packed(world))).sort()).toEqual([
        'nextStart',
        'num',
        'packageSummary',
        'results',
        'start',
        'total',
      ]);
    },
  },
  {
    statement:
      'A job in answer to a preview is taken for an import that has begun (_relied on_: `previewOnly` may be ignored).',
    wire: asked,
    check: async (world) => {
      const { to, groupId, packageId } = await packed(world);
      to.simulator.settings.ignorePreviewOnly = true;
      try {
        const request = { itemId: packageId, overwriteExistingItems: false, version: to.version };
        const outcome = await previewImport(to.as('owner'), groupId, request);
        expect(outcome).toMatchObject({ kind: 'started', started: { kind: 'job' } });
      } finally {
        to.simulator.settings.ignorePreviewOnly = false;
      }
    },
  },
  {
    statement: 'The rows of a preview are read page by page from its own address, by `start` and `num`.',
    wire: { ...paged, params: { f: 'json', start: '1', num: '100' } },
    check: async (world) => {
      const given = await packed(world);
      await preview(given);
      const page = await readPreviewPage(given.to.as('owner'), given.groupId, given.packageId, {});
      expect(page.results.map(({ id }) => id)).toEqual(given.holding.ids);
    },
  },
];

export const previewSection: Section = {
  title: 'Import preview',
  rows: [...asking, ...summary, ...paging, ...rowMembers],
};
