import { expect } from '@jest/globals';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { findItem } from '../../../src/portal/resources/items/items';
import { formatRows } from '../formats';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { exported, imported, importedBy, listsOf, startExport, uploaded } from '../transfers';

const operation = 'group.export';
const path = '/community/groups/<groupId>/export';
const csv = { type: 'CSV' };

const address = (groupId: string): string => `/community/groups/${groupId}/export`;

/** A synchronous export, as Portolan never asks for one. */
async function synchronous(site: Site, groupId: string, f: string): Promise<Response> {
  const client = await site.raw('owner');
  return client.post(address(groupId), new URLSearchParams({ f, async: 'false' }));
}

const parameters: readonly Row[] = [
  {
    id: 'export.call',
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
    id: 'export.postOnly',
    statement: 'A GET of the export address starts nothing.',
    wire: { operation: 'none', method: 'GET', path, errorCode: 404 },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([csv]);
      const client = await site.raw('owner');
      expect(await (await client.get(`${address(groupId)}?f=json&async=true`)).json()).toHaveProperty(
        'error',
      );
      expect(site.simulator.world.jobs.find((job) => job.groupId === groupId)).toBeUndefined();
    },
  },
  {
    id: 'export.multipart',
    statement: 'An export is sent as multipart form data.',
    wire: { operation, body: 'multipart/form-data' },
    check: async (world) => {
      const site = await world.at();
      await startExport(site, (await site.plant([csv])).groupId);
    },
  },
  {
    id: 'export.itemIdList',
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
    id: 'export.itemIdList.absent',
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
    id: 'export.itemIdList.foreign',
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
    id: 'export.async',
    statement: 'With `async=true` an export goes on after its answer, as a job.',
    wire: [{ operation, params: { async: 'true' } }, { operation: 'job' }],
    check: async (world) => {
      const site = await world.at();
      expect((await exported(site, (await site.plant([csv])).groupId)).phase).toBe('succeeded');
    },
  },
  {
    id: 'export.async.default',
    statement:
      'What an absent `async` means for an export is not told; _relied on_: nothing, since Portolan always sends it.',
    wire: [
      { operation, params: { async: 'true' } },
      { operation, params: { async: 'false' }, status: 400, errorCode: 400 },
    ],
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([csv]);
      await startExport(site, groupId);
      const request = { async: false, version: site.version };
      await expect(exportGroup(site.as('owner'), groupId, request)).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    },
  },
];

const answers: readonly Row[] = [
  {
    id: 'export.answer.bytes',
    statement:
      'An export with `async=false` and `f=html` answers with the package itself, as a stream of bytes to download.',
    wire: { operation, params: { async: 'false', f: 'html' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId, ids } = await site.plant([csv]);
      const response = await synchronous(site, groupId, 'html');
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.epk"$/);
      const bytes = await response.arrayBuffer();
      expect(bytes.byteLength).toBe(Number(response.headers.get('content-length')));
      const to = await world.receiving();
      const job = await imported(to, (await to.plant()).groupId, await uploaded(to, Buffer.from(bytes)));
      expect(importedBy(job).imported).toEqual(ids);
    },
  },
  {
    id: 'export.answer.badRequest',
    statement:
      'An export with `async=false` and `f=json` that made a package answers HTTP 400, since bytes cannot be put into JSON.',
    wire: { operation, params: { async: 'false', f: 'json' }, status: 400, errorCode: 400 },
    check: async (world) => {
      const site = await world.at();
      const response = await synchronous(site, (await site.plant([csv])).groupId, 'json');
      expect(response.status).toBe(400);
    },
  },
  {
    id: 'export.answer.nothing',
    statement:
      'An export that finds nothing to export answers three empty lists, `itemsExported`, `itemsSkipped` and `itemsFailedExport`.',
    wire: { operation, params: { async: 'false' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant();
      expect(await (await synchronous(site, groupId, 'json')).json()).toEqual({
        itemsExported: [],
        itemsSkipped: [],
        itemsFailedExport: [],
      });
      const request = { async: false, version: site.version };
      expect(await exportGroup(site.as('owner'), groupId, request)).toEqual({
        kind: 'lists',
        exported: [],
        skipped: [],
        failed: [],
      });
    },
  },
  {
    id: 'export.answer.nothing.async',
    statement:
      'An export that finds nothing to export answers these lists in place of a job; _relied on_: with `async=true` too.',
    wire: { operation, params: { async: 'true' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant();
      const request = { async: true, version: site.version };
      expect(await exportGroup(site.as('owner'), groupId, request)).toMatchObject({ kind: 'lists' });
    },
  },
  {
    id: 'export.answer.job',
    statement: 'An export with `async=true` answers `jobId` and `key`, both of them texts.',
    wire: { operation, params: { async: 'true' } },
    check: async (world) => {
      const site = await world.at();
      const { groupId } = await site.plant([csv]);
      const client = await site.raw('owner');
      expect(await client.call(address(groupId), { async: 'true' })).toEqual({
        jobId: expect.stringMatching(/./),
        key: expect.stringMatching(/./),
      });
      expect(await startExport(site, groupId)).toMatchObject({
        jobId: expect.any(String),
        key: expect.any(String),
      });
    },
  },
];

const scope: readonly Row[] = [
  {
    id: 'export.onlyTheGroup',
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
    id: 'export.missingDependency',
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
    id: 'export.sharedUpdates',
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
  rows: [
    ...parameters,
    ...formatRows({
      id: 'export',
      name: 'Export',
      route: operation,
      call: async (world) => {
        const site = await world.at();
        const { groupId } = await site.plant();
        return { site, user: 'owner', path: address(groupId), params: { async: 'true' } };
      },
    }),
    ...answers,
    ...scope,
  ],
};
