import { afterEach, describe, expect, it } from '@jest/globals';
import { type LiveProgress, readLiveRows } from '../../../src/domain/snapshot/live-rows';
import type { LiveRow } from '../../../src/model/snapshot/snapshot';
import type { Portal } from '../../../src/portal/client';
import { releaseFrom } from '../../../src/portal/http/versions';
import { whyChanged } from '../../../src/domain/snapshot/compare-rows';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import { hosting, json, jsonAt, portalsOf } from '../../portal/raw-portal';
import { connect, start, stopAll } from '../../simulator/harness';

const service = '/server/rest/services/Roads/FeatureServer';

const startPortal = portalsOf(afterEach);
afterEach(stopAll);

const rowsNow = (portal: Portal, more = {}, groupId = transportGroupId) =>
  readLiveRows(portal, groupId, releaseFrom('11.4'), more);
const kept = (rows: LiveRow[]) => rows.map((row) => ({ ...row, saved: 'package' as const }));

describe('the rows of a group', () => {
  it('name every item of every page, with the layers and tables of hosted services', async () => {
    const simulator = await start({ seed: 'transport' });
    const portal = connect(simulator, 'owner');
    const told: LiveProgress[] = [];
    const rows = await rowsNow(portal, { progress: (done: LiveProgress) => told.push(done) });
    expect(rows).toHaveLength(13);
    expect(rows.find(({ itemId }) => itemId === transportItems.csv)).toMatchObject({
      type: 'CSV',
      title: simulator.world.items.get(transportItems.csv)?.title,
      size: expect.any(Number),
      modified: expect.any(Number),
      owner: 'owner',
    });
    const roads = rows.find(({ itemId }) => itemId === transportItems.roads);
    expect(roads).toMatchObject({
      hosted: true,
      size: undefined,
      modified: simulator.world.items.get(transportItems.roads)?.modified,
    });
    const [date, schema] = [expect.any(Number), expect.any(String)];
    expect(roads?.layers).toEqual([
      { layerId: 0, name: 'Routes', count: 1200, lastEditDate: date, schema },
      { layerId: 1, name: 'Mileposts', count: 2500, lastEditDate: date, schema },
      { layerId: 2, name: 'Surveys', count: 340, lastEditDate: date, schema },
    ]);
    expect(rows.filter(({ hosted }) => hosted).map(({ itemId }) => itemId)).toEqual([
      transportItems.roads,
      transportItems.projects,
      transportItems.boundaries,
    ]);
    expect(told.at(-1)).toEqual({ items: 13, services: 3, of: 3 });
    expect(await rowsNow(portal, { items: [transportItems.csv] })).toMatchObject([
      { itemId: transportItems.csv },
    ]);
  });

  it('omit what cannot be read', async () => {
    const simulator = await start({ seed: 'transport', noEditDates: [transportItems.projects] });
    const closed = { code: 403, message: 'User does not have permissions to access this service.' };
    simulator.faults.add({
      match: { operation: 'service.read', path: 'StateRoutes' },
      do: { error: closed },
    });
    simulator.faults.add({
      match: { operation: 'layer.read', path: 'CountyBoundaries' },
      do: { status: 404 },
    });
    const rows = await rowsNow(connect(simulator, 'owner'));
    const layersOf = (itemId: string) => rows.find((row) => row.itemId === itemId)?.layers;
    expect(layersOf(transportItems.roads)).toBeUndefined();
    expect(layersOf(transportItems.projects)).toEqual([
      { layerId: 0, name: 'Projects', count: 860, schema: expect.any(String) },
      { layerId: 1, name: 'Funding', count: 410, schema: expect.any(String) },
    ]);
    expect(layersOf(transportItems.boundaries)).toEqual([{ layerId: 0, name: 'Counties', count: 39 }]);
    expect(whyChanged(kept(rows), rows)).toBeDefined();
  });

  it('have no layers of a service that lists one without an ID', async () => {
    const raw = await startPortal({
      ...hosting,
      'content/groups/g': jsonAt((origin) => {
        const url = `${origin}${service}`;
        const item = { id: 'a', type: 'Feature Service', typeKeywords: ['Hosted Service'], url };
        return { total: 1, nextStart: -1, items: [item] };
      }),
      [service]: json({ layers: [{ id: 0, name: 'Roads' }, { name: 'Stops' }], tables: [] }),
      [`${service}/0`]: json({ id: 0, editingInfo: { lastEditDate: 1 } }),
    });
    const [row] = await rowsNow(raw.client(), {}, 'g');
    expect(row).toMatchObject({ itemId: 'a', hosted: true, layers: undefined });
  });
});
