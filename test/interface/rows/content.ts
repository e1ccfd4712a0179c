import { expect } from '@jest/globals';
import { readItem, readItemText } from '../../../src/portal/resources/items/items';
import { countFeatures, readService } from '../../../src/portal/resources/layers';
import { layer } from '../../../src/simulator/seed/build';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { carried } from '../transfers';

const roads = { type: 'Feature Service', layers: [layer(0, 'Roads', 7)], tables: [layer(1, 'Surveys', 3)] };
const layersAt = (url: string) => ({ operationalLayers: [{ id: 'roads', url: `${url}/0` }] });
const sourcesAt = (url: string) => ({
  dataSource: { dataSources: { external_1: { url: `${url}/0` } } },
});

const documents: readonly (readonly [type: string, documentOf: (url: string) => object])[] = [
  ['Web Map', layersAt],
  ['Web Scene', layersAt],
  ['Web Mapping Application', sourcesAt],
];

const rows: readonly Row[] = [
  {
    statement: 'Imports hosted layers with their rows, at addresses of the target.',
    wire: [{ operation: 'group.import' }, { operation: 'item.read' }, { operation: 'layer.query' }],
    check: async (from, world) => {
      const to = await world.receiving();
      const holding = await from.plant([roads]);
      await carried(from, to, holding);
      for (const site of [from, to]) {
        const { url = '' } = await readItem(site.as('owner'), holding.ids[0] ?? '');
        expect(url).toContain(site.simulator.world.origin);
        const { layers, tables } = await readService(site.as('owner'), url);
        const counts = [...layers, ...tables].map((one) => countFeatures(site.as('owner'), url, one.id));
        expect(await Promise.all(counts)).toEqual([7, 3]);
      }
    },
  },
  {
    statement: 'Rewrites addresses of layers in maps, scenes and apps.',
    wire: [{ operation: 'group.import' }, { operation: 'item.data' }, { operation: 'service.read' }],
    check: async (from, world) => {
      const to = await world.receiving();
      const service = await from.plant([roads]);
      const { url = '' } = await readItem(from.as('owner'), service.ids[0] ?? '');
      const { ids } = await from.plant(
        documents.map(([type, documentOf]) => ({
          type,
          data: documentOf(url),
          fields: { groups: [service.groupId] },
        })),
      );
      await carried(from, to, service);
      const text = (site: Site, id: string) => readItemText(site.as('owner'), id, { maxBytes: 10_000 });
      const there = url.replace(from.simulator.world.hostingServerUrl, to.simulator.world.hostingServerUrl);
      expect((await readService(to.as('owner'), there)).layers).toHaveLength(1);
      for (const id of ids) {
        const source = (await text(from, id)) ?? '';
        expect(source).toContain(url);
        expect(await text(to, id)).toBe(source.replaceAll(url, there));
      }
    },
  },
  {
    statement: 'Imports items without their dependencies, whose addresses then fail.',
    wire: [{ operation: 'group.import' }, { operation: 'service.read', errorCode: 404 }],
    check: async (from, world) => {
      const to = await world.receiving();
      const [itemId = ''] = (await from.plant([roads])).ids;
      const { url = '' } = await readItem(from.as('owner'), itemId);
      const map = await from.plant([{ type: 'Web Map', data: layersAt(url) }]);
      expect((await carried(from, to, map)).phase).toBe('succeeded');
      const there = url.replace(from.simulator.world.origin, to.simulator.world.origin);
      await expect(readService(to.as('owner'), there)).rejects.toMatchObject({ name: 'PortolanError' });
    },
  },
];

export const contentSection: Section = { title: 'Content of packages', rows };
