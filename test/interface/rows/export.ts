import { expect } from '@jest/globals';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { findItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import { exported, listsOf, startExport } from '../transfers';

const operation = 'group.export';
const path = '/community/groups/<groupId>/export';
const csv = { type: 'CSV' };

const parameters: readonly Row[] = [
  {
    statement:
      'An export is a POST to the export address of a group, and takes supported items of the group into a package.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([csv]);
      expect(listsOf(await exported(site, groupId)).exported).toEqual(ids);
    },
  },
  {
    statement: 'An export is sent as multipart form data.',
    wire: { operation, body: 'multipart/form-data' },
    check: async (world) => {
      const site = await world.at();
      await startExport(site, (await site.plant([csv])).groupId);
    },
  },
  {
    statement:
      '`itemIdList` names, with commas, the items of the group that an export takes; others stay out.',
    wire: { operation, params: { itemIdList: /^[0-9a-f]{32},[0-9a-f]{32}$/ } },
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([csv, csv, csv]);
      const job = await exported(site, groupId, { itemIdList: ids.slice(0, 2) });
      expect(listsOf(job).exported).toEqual(ids.slice(0, 2));
    },
  },
  {
    statement: 'Without `itemIdList` an export takes every item of the group that is supported.',
    wire: { operation, without: ['itemIdList'] },
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([csv, { type: 'Dashboard' }, csv]);
      expect(listsOf(await exported(site, groupId))).toMatchObject({
        exported: [ids[0], ids[2]],
        skipped: [ids[1]],
      });
    },
  },
  {
    statement:
      'An item in `itemIdList` that is not in the group is not exported; _relied on_: it is listed as failed.',
    wire: { operation, params: { itemIdList: /,/ } },
    check: async (world) => {
      const site = await world.at();
      const [{ groupId, ids }, elsewhere] = [await site.plant([csv]), await site.plant([csv])];
      const job = await exported(site, groupId, { itemIdList: [...ids, ...elsewhere.ids] });
      expect(listsOf(job)).toMatchObject({ exported: ids, failed: elsewhere.ids });
    },
  },
  {
    statement: 'With `async=true` an export goes on after its answer, as a job.',
    wire: [{ operation, params: { async: 'true' } }, { operation: 'job' }],
    check: async (world) => {
      const site = await world.at();
      expect((await exported(site, (await site.plant([csv])).groupId)).phase).toBe('succeeded');
    },
  },
  {
    statement:
      'What an absent `async` means for an export is not told; _relied on_: nothing, since Portolan always sends it.',
    wire: { operation, params: { async: 'true' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([csv]);
      expect(await startExport(site, groupId)).toMatchObject({ kind: 'job' });
    },
  },
];

const answers: readonly Row[] = [
  {
    statement:
      'An export that finds nothing to export answers three empty lists, of what was exported, skipped and failed; _relied on_: in place of a job, with `async=true` too.',
    wire: { operation, params: { async: 'true' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant();
      const request = { async: true, version: site.version };
      expect(await exportGroup(site.as('owner'), groupId, request)).toEqual({
        kind: 'lists',
        done: [],
        skipped: [],
        failed: [],
      });
    },
  },
  {
    statement: 'An export with `async=true` answers `jobId` and `key`, both of them texts.',
    wire: { operation, params: { async: 'true' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([csv]);
      expect(await startExport(site, groupId)).toEqual({
        kind: 'job',
        jobId: expect.stringMatching(/./),
        key: expect.stringMatching(/./),
      });
    },
  },
];

const scope: readonly Row[] = [
  {
    statement:
      'Only items of the group are exported: what a map draws is left out unless it is shared with the group as well.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const [layer] = (await site.plant([{ type: 'Feature Service', layers: [] }])).ids;
      const map = { type: 'Web Map', data: { operationalLayers: [{ itemId: layer }] } };
      const { groupId, ids } = await site.plant([map]);
      expect(listsOf(await exported(site, groupId)).exported).toEqual(ids);
    },
  },
  {
    statement: 'An export does not fail for want of something that an exported item depends on.',
    wire: [{ operation }, { operation: 'job' }],
    check: async (world) => {
      const site = await world.at();
      const missing = 'f'.repeat(32);
      const map = { type: 'Web Map', data: { operationalLayers: [{ itemId: missing }] } };
      const { groupId, ids } = await site.plant([map]);
      expect(await findItem(site.as('owner'), missing)).toBeUndefined();
      const job = await exported(site, groupId);
      expect([job.phase, listsOf(job).exported]).toEqual(['succeeded', ids]);
    },
  },
  {
    statement: 'Export works for a group with shared updates as for any other.',
    wire: { operation },
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([csv], { capabilities: ['updateitemcontrol'] });
      expect(listsOf(await exported(site, groupId)).exported).toEqual(ids);
    },
  },
];

export const exportSection: Section = {
  title: 'Export',
  rows: [...parameters, ...answers, ...scope],
};
