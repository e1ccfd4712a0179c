import { expect } from '@jest/globals';
import { referencesResolve, classifyAll } from '../../../src/domain/transfer/guards/group';
import { routeAddresses } from '../../../src/domain/transfer/references/addresses';
import { readItem, readItemText } from '../../../src/portal/resources/items/items';
import { countFeatures, readService } from '../../../src/portal/resources/layers';
import { layer } from '../../../src/simulator/seed/build';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import { carried } from '../transfers';
import type { World } from '../world';

const roads = { type: 'Feature Service', layers: [layer(0, 'Roads', 7)], tables: [layer(1, 'Surveys', 3)] };

/** Carries a hosted service and a document that refers to it; tells the document on both sides. */
async function documentCarried(
  world: World,
  type: string,
  documentOf: (serviceUrl: string, site: Site) => object,
): Promise<{ readonly source: string; readonly target: string; readonly from: Site; readonly to: Site }> {
  const [from, to] = [await world.at(), await world.receiving()];
  const holding = await from.plant([roads]);
  const [serviceId = ''] = holding.ids;
  const { url } = await readItem(from.as('owner'), serviceId);
  const [id = ''] = (await from.plant([{ type, data: documentOf(url ?? '', from) }])).ids;
  from.simulator.world.items.change(id, { groups: [holding.groupId] });
  await carried(from, to, holding);
  const text = async (site: Site) => (await readItemText(site.as('owner'), id, { maxBytes: 10_000 })) ?? '';
  return { source: await text(from), target: await text(to), from, to };
}

const rewritten = (type: string, what: string, documentOf: (url: string) => object): Row => ({
  statement: `Addresses of layers inside of ${what} become those of the importing organization.`,
  wire: [{ operation: 'group.import' }, { operation: 'item.data' }],
  check: async (world) => {
    const { source, target, from, to } = await documentCarried(world, type, documentOf);
    const [there, here] = [from.simulator.world.hostingServerUrl, to.simulator.world.hostingServerUrl];
    expect(source).toContain(there);
    expect(target).not.toContain(there);
    expect(target).toBe(source.replaceAll(there, here));
  },
});

const operationalLayers = (url: string): object => ({
  operationalLayers: [{ id: 'roads', url: `${url}/0` }],
});

const rows: readonly Row[] = [
  rewritten('Web Map', 'web maps', operationalLayers),
  rewritten('Web Scene', 'web scenes', operationalLayers),
  rewritten('Web Mapping Application', 'web mapping applications', (url) => ({
    dataSource: { dataSources: { external_1: { url: `${url}/0` } } },
  })),
  {
    statement: 'The address of an imported item becomes one of the receiving portal.',
    wire: [{ operation: 'group.import' }, { operation: 'item.read' }],
    check: async (world) => {
      const [from, to] = [await world.at(), await world.receiving()];
      const holding = await from.plant([roads]);
      await carried(from, to, holding);
      const [id = ''] = holding.ids;
      const [before, after] = [await readItem(from.as('owner'), id), await readItem(to.as('owner'), id)];
      expect(before.url).toContain(from.simulator.world.origin);
      expect(after.url).toContain(to.simulator.world.origin);
      expect(after.url).not.toContain(from.simulator.world.origin);
    },
  },
  {
    statement:
      'Hosted feature services are exported with their data: each layer and table has as many rows after the import.',
    wire: [{ operation: 'group.import' }, { operation: 'layer.query' }],
    check: async (world) => {
      const [from, to] = [await world.at(), await world.receiving()];
      const holding = await from.plant([roads]);
      await carried(from, to, holding);
      const [id = ''] = holding.ids;
      for (const site of [from, to]) {
        const { url = '' } = await readItem(site.as('owner'), id);
        const { layers, tables } = await readService(site.as('owner'), url);
        const counts = [...layers, ...tables].map((one) => countFeatures(site.as('owner'), url, one.id));
        expect(await Promise.all(counts)).toEqual([7, 3]);
      }
    },
  },
  {
    statement:
      'A map and its layers that are both shared with the group arrive together, and the layers answer there.',
    wire: [{ operation: 'group.import' }, { operation: 'service.read' }],
    check: async (world) => {
      const { target, to } = await documentCarried(world, 'Web Map', operationalLayers);
      const { operationalLayers: layers } = JSON.parse(target) as { operationalLayers: { url: string }[] };
      const service = (layers[0]?.url ?? '').replace(/\/0$/, '');
      expect((await readService(to.as('owner'), service)).layers).toHaveLength(1);
    },
  },
  {
    statement:
      'Calls to what an item depends on fail where it is neither in the package nor on the receiving portal.',
    wire: [{ operation: 'group.import' }, { operation: 'service.read', errorCode: 404 }],
    check: async (world) => {
      const [from, to] = [await world.at(), await world.receiving()];
      const [serviceId = ''] = (await from.plant([roads])).ids;
      const { url = '' } = await readItem(from.as('owner'), serviceId);
      const map = await from.plant([{ type: 'Web Map', data: operationalLayers(url) }]);
      expect((await carried(from, to, map)).job.phase).toBe('succeeded');
      const there = url.replace(from.simulator.world.origin, to.simulator.world.origin);
      await expect(readService(to.as('owner'), there)).rejects.toMatchObject({ name: 'PortolanError' });
    },
  },
  {
    statement: 'Portolan names such a dependency before it exports, as a warning.',
    wire: [{ operation: 'item.data' }, { operation: 'item.read' }],
    check: async (world) => {
      const [from, to] = [await world.at(), await world.receiving()];
      const [serviceId = ''] = (await from.plant([roads])).ids;
      const map = await from.plant([
        { type: 'Web Map', data: { operationalLayers: [{ id: 'roads', itemId: serviceId }] } },
      ]);
      const items = [await readItem(from.as('owner'), map.ids[0] ?? '')];
      const result = await referencesResolve({
        source: from.as('owner'),
        target: to.as('owner'),
        items: classifyAll(items, from.version),
        addresses: routeAddresses((await from.facts()).addresses, (await to.facts()).addresses),
      });
      expect(result).toMatchObject({ verdict: 'unknown', saw: expect.stringContaining('operationalLayers') });
    },
  },
];

export const contentSection: Section = { title: 'Content of packages', rows };
