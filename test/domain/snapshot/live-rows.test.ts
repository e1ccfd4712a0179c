import { afterEach, describe, expect, it } from '@jest/globals';
import { type LiveProgress, readLiveRows } from '../../../src/domain/snapshot/live-rows';
import type { LiveRow, SnapshotRow } from '../../../src/model/snapshot/snapshot';
import { Portal } from '../../../src/portal/client';
import { releaseFrom } from '../../../src/portal/http/versions';
import { whyChanged } from '../../../src/domain/snapshot/compare-rows';
import { transportGroupId, transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { json, RawPortal } from '../../portal/raw-portal';
import { type Client, signIn, start, stopAll } from '../../simulator/harness';

const service = '/server/rest/services/Roads/FeatureServer';
const open: Portal[] = [];

function connect(simulator: Simulator): Portal {
  const secret = () => Promise.resolve('owner-pw');
  const auth = { type: 'password', username: 'owner', secret } as const;
  const portal = new Portal({ name: 'staging', url: simulator.url, auth });
  open.push(portal);
  return portal;
}

afterEach(async () => {
  await Promise.all(open.map((portal) => portal.close()));
  open.length = 0;
  await stopAll();
});

const rowsNow = (portal: Portal): Promise<LiveRow[]> =>
  readLiveRows(portal, transportGroupId, releaseFrom('11.4'));
const kept = (rows: readonly LiveRow[]): SnapshotRow[] =>
  rows.map((row) => ({ ...row, saved: 'package' as const }));

describe('the rows of a group', () => {
  it('name every item of every page, with the layers and tables of hosted services', async () => {
    const simulator = await start({ seed: 'transport' });
    const portal = connect(simulator);
    const told: LiveProgress[] = [];
    const rows = await readLiveRows(portal, transportGroupId, releaseFrom('11.4'), {
      progress: (done) => told.push(done),
    });
    expect(rows).toHaveLength(13);
    expect(rows.find(({ itemId }) => itemId === transportItems.csv)).toMatchObject({
      type: 'CSV',
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
    expect(
      await readLiveRows(portal, transportGroupId, releaseFrom('11.4'), { items: [transportItems.csv] }),
    ).toMatchObject([{ itemId: transportItems.csv }]);
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
    const rows = await rowsNow(connect(simulator));
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
    const raw = await RawPortal.start({
      'portals/self': json({ id: 'p' }),
      'portals/p/servers': (seen, response) =>
        json({ servers: [{ url: `${new URL(raw.url).origin}/server` }] })(seen, response),
      'content/groups/g': (seen, response) => {
        const url = `${new URL(raw.url).origin}${service}`;
        const item = { id: 'a', type: 'Feature Service', typeKeywords: ['Hosted Service'], url };
        void json({ total: 1, nextStart: -1, items: [item] })(seen, response);
      },
      [service]: json({ layers: [{ id: 0, name: 'Roads' }, { name: 'Stops' }], tables: [] }),
      [`${service}/0`]: json({ id: 0, editingInfo: { lastEditDate: 1 } }),
    });
    try {
      const [row] = await readLiveRows(raw.client(), 'g', releaseFrom('11.4'));
      expect(row).toMatchObject({ itemId: 'a', hosted: true, layers: undefined });
    } finally {
      await raw.stop();
    }
  });
});

describe('a group from night to night', () => {
  it('is unchanged until a client edits it, and shows each edit', async () => {
    const simulator = await start({ seed: 'transport', clock: Date.UTC(2027, 2, 1, 3) });
    const portal = connect(simulator);
    const client = await signIn(simulator, 'owner');
    let before = kept(await rowsNow(portal));
    let night = 1;
    const nextNight = async (): Promise<string | undefined> => {
      night += 1;
      simulator.setClock(Date.UTC(2027, 2, night, 3));
      const now = await rowsNow(portal);
      const because = whyChanged(before, now);
      before = kept(now);
      return because;
    };
    expect(await nextNight()).toBeUndefined();
    for (const [edit, because] of edits) {
      await edit(client);
      expect(await nextNight()).toContain(because);
    }
    expect(await nextNight()).toBeUndefined();
  });
});

const users = '/content/users/owner/items';
const layer = async (client: Client, index: number): Promise<string> => {
  const { url } = await client.call<{ url: string }>(`/content/items/${transportItems.roads}`);
  return `${url}/${index}`;
};

/** What people do to a group, and what is said of it. */
const edits: [(client: Client) => Promise<unknown>, string][] = [
  [
    async (client) => client.call(`${await layer(client, 0)}/applyEdits`, { deletes: '1' }),
    'changed: layer 0 last edit',
  ],
  [
    async (client) => {
      const features = JSON.stringify([{ attributes: { OBJECTID: 1, STATUS: 'new' } }]);
      return client.call(`${await layer(client, 2)}/updateFeatures`, { features });
    },
    'changed: layer 2 last edit',
  ],
  [(client) => client.call(`${users}/${transportItems.map}/update`, { title: 'Renamed' }), 'changed: title'],
  [(client) => client.call(`${users}/${transportItems.csv}/update`, { text: 'a,b' }), 'changed: modified'],
  [
    (client) => client.call(`/content/items/${transportItems.pdf}/unshare`, { groups: transportGroupId }),
    'is no longer in the group',
  ],
  [
    (client) => client.call(`/content/items/${transportItems.pdf}/share`, { groups: transportGroupId }),
    'is new in the group',
  ],
  [
    (client) => client.call(`${users}/${transportItems.dashboard}/delete`, { permanentDelete: 'true' }),
    'is no longer in the group',
  ],
];
