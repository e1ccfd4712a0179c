import { expect } from '@jest/globals';
import { contentDisk } from '../../../src/domain/transfer/guards/room';
import { FREE_DISK_BYTES_MIN } from '../../../src/portal/http/limits';
import type { Row, Section } from '../row';
import { csv, exported, importedBy, listsOf, packed } from '../transfers';

const GB = 1024 ** 3;
const file = (size: number) => ({ type: 'Image', fields: { size } });

const exportWire = [{ operation: 'group.export' }, { operation: 'job' }];
const importWire = [{ operation: 'group.import' }, { operation: 'job' }];

const rows: readonly Row[] = [
  {
    statement: 'Exports no package above 5 GB, and lists an item above 1 GB as failed.',
    wire: exportWire,
    check: async (site) => {
      const { groupId } = await site.plant([GB, GB, GB, GB, GB, 1].map(file));
      expect((await exported(site, groupId)).phase).toBe('failed');
      const large = await site.plant([file(GB + 1), csv]);
      expect(listsOf(await exported(site, large.groupId))).toEqual({
        exported: [large.ids[1]],
        skipped: [],
        failed: [large.ids[0]],
      });
    },
  },
  {
    statement: 'Imports no package above 5 GB, and lists a too large item as failed.',
    wire: importWire,
    check: async (_site, world) => {
      const { to, ids, packageId, bring } = await packed(world);
      const { size = 0 } = to.item(packageId) ?? {};
      to.simulator.world.items.change(packageId, { size: 5 * GB + 1 });
      expect((await bring()).phase).toBe('failed');
      to.simulator.world.items.change(packageId, { size });
      // A small limit stands for 1 GB.
      const job = await to.set({ maxItemBytes: 1 }, () => bring());
      expect(importedBy(job)).toEqual({ imported: [], skipped: [], failed: ids });
    },
  },
  {
    statement: 'Exports only with 10 GB of free disk space.',
    wire: exportWire,
    check: async (site) => {
      const { groupId } = await site.plant([csv]);
      const job = (freeGb: number) => site.set({ freeGb }, () => exported(site, groupId));
      expect([(await job(9.9)).phase, (await job(10)).phase]).toEqual(['failed', 'succeeded']);
    },
  },
  {
    statement: 'Imports only with 10 GB of free disk space.',
    wire: importWire,
    check: async (_site, world) => {
      const { to, bring } = await packed(world);
      const job = (freeGb: number) => to.set({ freeGb }, () => bring());
      expect([(await job(9.9)).phase, (await job(10)).phase]).toEqual(['failed', 'succeeded']);
    },
  },
  {
    statement: 'Reports free disk space to administrators from 11.3 on.',
    wire: { operation: 'machines.hardware', user: 'admin' },
    check: async (_site, world) => {
      const site = await world.at('11.3');
      const options = { minBytes: FREE_DISK_BYTES_MIN, version: site.version };
      const disk = (freeGb: number) => site.set({ freeGb }, () => contentDisk(site.as('admin'), options));
      expect(await disk(10)).toMatchObject({ verdict: 'pass' });
      expect(await disk(9)).toMatchObject({ verdict: 'refuse', code: 'DISK_FULL' });
    },
  },
];

export const limitSection: Section = { title: 'Limits', rows };
