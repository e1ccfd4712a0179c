import { expect } from '@jest/globals';
import { classifyAll } from '../../../src/domain/transfer/guards/group';
import { contentDisk, itemsWithinLimit, packageEstimate } from '../../../src/domain/transfer/guards/room';
import { FREE_DISK_BYTES_MIN, ITEM_BYTES_MAX, PACKAGE_BYTES_MAX } from '../../../src/portal/http/limits';
import { previewImport } from '../../../src/portal/resources/group-import';
import type { Settings } from '../../../src/simulator/options';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { brought, exported, imported, importedBy, listsOf } from '../transfers';
import type { World } from '../world';

const GB = 1024 ** 3;

const file = (size: number) => ({ type: 'Image', fields: { size } });

/** Has the portal so set up while something is done. */
async function setTo<T>(site: Site, settings: Partial<Settings>, act: () => Promise<T>): Promise<T> {
  const before = { ...site.simulator.settings };
  Object.assign(site.simulator.settings, settings);
  try {
    return await act();
  } finally {
    Object.assign(site.simulator.settings, before);
  }
}

async function packed(world: World, count = 1) {
  const [from, to] = [await world.at(), await world.receiving()];
  const holding = await from.plant(Array.from({ length: count }, () => ({ type: 'CSV' })));
  const packageId = await brought(from, to, holding);
  return { to, holding, packageId, groupId: (await to.plant()).groupId };
}

const weighed = (sizes: readonly number[]) =>
  classifyAll(
    sizes.map((size, at) => ({ id: String(at), title: `Image ${at}`, type: 'Image', size })),
    undefined,
  );

const rows: readonly Row[] = [
  {
    statement: 'A package of more than 5 GB is not exported.',
    wire: [{ operation: 'group.export' }, { operation: 'job' }],
    check: async (world) => {
      const site = await world.at();
      const sizes = [...Array.from({ length: 5 }, () => GB), 1];
      const { groupId } = await site.plant(sizes.map(file));
      expect((await exported(site, groupId)).phase).toBe('failed');
    },
  },
  {
    statement: 'A package of more than 5 GB is not imported.',
    wire: [{ operation: 'group.import' }, { operation: 'job' }],
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      to.simulator.world.items.change(packageId, { size: 5 * GB + 1 });
      expect((await imported(to, groupId, packageId)).phase).toBe('failed');
    },
  },
  {
    statement:
      'Portolan divides what weighs more than 5 GB among packages, and refuses an item that weighs more, before it exports, as far as sizes are known.',
    check: () => {
      const requested = (sizes: readonly number[]) =>
        weighed(sizes).map(({ item: { id, ...item } }) => ({ ...item, itemId: id, packageIndex: 0 }));
      const just = Array.from({ length: 5 }, () => GB);
      const estimate = (sizes: readonly number[]) => packageEstimate(requested(sizes), PACKAGE_BYTES_MAX);
      expect(estimate(just)).toMatchObject({ verdict: 'pass', saw: 'about 5 GB' });
      expect(estimate([...just, 1])).toMatchObject({ verdict: 'pass', saw: 'about 5 GB in 2 packages' });
      expect(estimate([5 * GB + 1])).toMatchObject({ verdict: 'refuse', code: 'PACKAGE_TOO_LARGE' });
    },
  },
  {
    statement:
      'An item of more than 1 GB does not go into a package; _relied on_: it is listed as failed, and the others go.',
    wire: [{ operation: 'group.export' }, { operation: 'job' }],
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([file(GB + 1), { type: 'CSV' }]);
      expect(listsOf(await exported(site, groupId))).toEqual({
        exported: [ids[1]],
        skipped: [],
        failed: [ids[0]],
      });
    },
  },
  {
    statement: 'An item beyond the limit is not taken out of a package; _relied on_: it is listed as failed.',
    wire: [{ operation: 'group.import' }, { operation: 'job' }],
    check: async (world) => {
      const { to, holding, packageId, groupId } = await packed(world, 2);
      // The smallest limit stands for the real one, which would take a gigabyte to pass.
      const job = await setTo(to, { maxItemBytes: 1 }, () => imported(to, groupId, packageId));
      expect(importedBy(job)).toEqual({ imported: [], skipped: [], failed: holding.ids });
    },
  },
  {
    statement: 'Portolan refuses an item of more than 1 GB before it exports.',
    check: () => {
      expect(itemsWithinLimit(weighed([GB]), ITEM_BYTES_MAX).verdict).toBe('pass');
      expect(itemsWithinLimit(weighed([GB + 1]), ITEM_BYTES_MAX)).toMatchObject({
        verdict: 'refuse',
        code: 'ITEM_TOO_LARGE',
      });
    },
  },
  {
    statement:
      'Before every export the portal looks whether 10 GB are free in its content store; with less it does not export.',
    wire: [{ operation: 'group.export' }, { operation: 'job' }],
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([{ type: 'CSV' }]);
      const job = (freeGb: number) => setTo(site, { freeGb }, () => exported(site, groupId));
      expect([(await job(9.9)).phase, (await job(10)).phase]).toEqual(['failed', 'succeeded']);
    },
  },
  {
    statement: 'Before every import it looks as well; with less than 10 GB it does not import.',
    wire: [{ operation: 'group.import' }, { operation: 'job' }],
    check: async (world) => {
      const { to, packageId, groupId } = await packed(world);
      const job = (freeGb: number) => setTo(to, { freeGb }, () => imported(to, groupId, packageId));
      expect([(await job(9.9)).phase, (await job(10)).phase]).toEqual(['failed', 'succeeded']);
    },
  },
  {
    statement:
      'Portolan asks before, where a portal tells it, whether 10 GB are free (_relied on_: from 11.3 on, to administrators).',
    wire: { operation: 'machines.hardware', user: 'admin' },
    check: async (world) => {
      const site = await world.at('11.3');
      const asked = { minBytes: FREE_DISK_BYTES_MIN, version: site.version };
      const disk = (freeGb: number) => setTo(site, { freeGb }, () => contentDisk(site.as('admin'), asked));
      expect(await disk(10)).toMatchObject({ verdict: 'pass' });
      expect(await disk(9)).toMatchObject({ verdict: 'refuse', code: 'DISK_FULL' });
    },
  },
  {
    statement: 'Where a portal does not tell, free space is unknown to Portolan: a warning, and no refusal.',
    wire: { unsent: 'machines.hardware' },
    check: async (world) => {
      const site = await world.at();
      const asked = { minBytes: FREE_DISK_BYTES_MIN, version: site.version };
      expect((await contentDisk(site.as('admin'), asked)).verdict).toBe('unknown');
    },
  },
  {
    statement: 'A page of a preview has 25 rows and begins with row 1 where nothing else is asked for.',
    wire: { operation: 'group.import', params: { previewOnly: 'true' }, without: ['start', 'num'] },
    check: async (world) => {
      const { to, holding, packageId, groupId } = await packed(world, 26);
      const request = { itemId: packageId, overwriteExistingItems: false, version: to.version };
      const outcome = await previewImport(to.as('owner'), groupId, request);
      const page = outcome.kind === 'preview' ? outcome.preview : undefined;
      expect(page?.results.map(({ id }) => id)).toEqual(holding.ids.slice(0, 25));
      expect([page?.total, page?.nextStart]).toEqual([26, 26]);
    },
  },
];

export const limitSection: Section = { title: 'Limits', rows };
