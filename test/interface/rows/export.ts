import { expect } from '@jest/globals';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { findItem, readItem } from '../../../src/portal/resources/items/items';
import type { Row, Section } from '../row';
import { csv, downloaded, exported, listsOf, packageOf, startExport } from '../transfers';

const operation = 'group.export';

const rows: readonly Row[] = [
  {
    statement: 'Starts an export by a multipart POST, as a job with `jobId` and `key`.',
    wire: {
      operation,
      method: 'POST',
      path: '/community/groups/<groupId>/export',
      body: 'multipart/form-data',
      params: { async: 'true' },
    },
    check: async (site) => {
      expect(await startExport(site, (await site.plant([csv])).groupId)).toEqual({
        kind: 'job',
        jobId: expect.stringMatching(/./),
        key: expect.stringMatching(/./),
      });
    },
  },
  {
    statement: 'Exports the items in `itemIdList`; those outside the group fail.',
    wire: [{ operation, params: { itemIdList: /^[0-9a-f]{32}(,[0-9a-f]{32}){2}$/ } }, { operation: 'job' }],
    check: async (site) => {
      const [group, elsewhere] = [await site.plant([csv, csv, csv]), await site.plant([csv])];
      const [first = '', second = ''] = group.ids;
      const itemIdList = [first, second, ...elsewhere.ids];
      expect(listsOf(await exported(site, group.groupId, { itemIdList }))).toEqual({
        exported: [first, second],
        skipped: [],
        failed: elsewhere.ids,
      });
    },
  },
  {
    statement: 'Exports each supported item of the group without `itemIdList`.',
    wire: { operation, without: ['itemIdList'] },
    check: async (site) => {
      const { groupId, ids } = await site.plant([csv, { type: 'Dashboard' }, csv]);
      const lists = listsOf(await exported(site, groupId));
      expect(lists).toMatchObject({ exported: [ids[0], ids[2]], skipped: [ids[1]] });
    },
  },
  {
    statement: 'Returns three lists instead of a job when it exports nothing.',
    wire: { operation, params: { async: 'true' } },
    check: async (site) => {
      const listsFor = async (items: readonly { readonly type: string }[]) =>
        exportGroup(site.as('owner'), (await site.plant(items)).groupId, {
          async: true,
          version: site.version,
        });
      const none = { kind: 'lists', done: [], failed: [] };
      expect(await listsFor([])).toEqual({ ...none, skipped: [] });
      expect(await listsFor([{ type: 'Notebook' }])).toMatchObject({ ...none, skipped: [{}] });
    },
  },
  {
    statement: 'Exports neither dependencies outside the group, nor fails without.',
    wire: [{ operation }, { operation: 'job' }],
    check: async (site) => {
      const [layer] = (await site.plant([{ type: 'Feature Service', layers: [] }])).ids;
      const missing = 'f'.repeat(32);
      expect(await findItem(site.as('owner'), missing)).toBeUndefined();
      const data = { operationalLayers: [{ itemId: layer }, { itemId: missing }] };
      const { groupId, ids } = await site.plant([{ type: 'Web Map', data }]);
      const job = await exported(site, groupId);
      expect([job.phase, listsOf(job)]).toEqual(['succeeded', { exported: ids, skipped: [], failed: [] }]);
    },
  },
  {
    statement: 'Exports a group with shared update like any other.',
    wire: { operation },
    check: async (site) => {
      const { groupId, ids } = await site.plant([csv], { capabilities: ['updateitemcontrol'] });
      expect(listsOf(await exported(site, groupId)).exported).toEqual(ids);
    },
  },
  {
    statement: 'Makes an `Export Package` item, downloaded by a GET of its data.',
    wire: [
      { operation: 'item.read' },
      { operation: 'item.data', method: 'GET', path: '/content/items/<itemId>/data' },
    ],
    check: async (site) => {
      const id = packageOf(await exported(site, (await site.plant([csv])).groupId));
      const item = await readItem(site.as('owner'), id);
      expect(item).toMatchObject({
        id,
        type: 'Export Package',
        typeKeywords: ['Export Package', 'epk'],
        name: expect.stringMatching(/.\.epk$/),
      });
      expect((await downloaded(site, id)).length).toBe(item.size);
    },
  },
];

export const exportSection: Section = { title: 'Export', rows };
