import { afterEach, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseFinalStatus } from '../../src/simulator/options';
import { manyGroupId } from '../../src/simulator/seed/seeds';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { freeServerPort } from '../support/free-port';
import { freshFolder, signIn, start, stopAll } from './harness';

afterEach(stopAll);

describe('seeds', () => {
  it('are planted once, so that a restart keeps changes', async () => {
    const first = await start({ seed: 'transport', port: await freeServerPort() });
    first.world.items.remove(transportItems.csv);
    await first.close();
    const again = await start({ seed: 'transport', state: first.world.stateFolder });
    expect(again.url).toBe(first.url);
    expect(again.world.items.has(transportItems.csv)).toBe(false);
    expect(again.world.items.size).toBe(12);
  });

  it('have a service of a non-hosting server', async () => {
    const client = await signIn(await start({ seed: 'transport-own-server' }), 'owner');
    const map = await (await client.get(`/content/items/${transportItems.map}/data`)).text();
    expect(map).toContain(`${client.simulator.world.gisServerUrl}/rest/services/Traffic/Closures/MapServer`);
  });

  it("come from a file that names the portal's addresses", async () => {
    const path = join(await freshFolder(), 'seed.json');
    const [map, roads] = ['1'.repeat(32), '2'.repeat(32)];
    const items = [
      {
        id: map,
        title: 'Map',
        type: 'Web Map',
        json: { url: '{server}/rest/services/Hosted/Roads/FeatureServer/0' },
      },
      {
        id: roads,
        title: 'Roads',
        type: 'Feature Service',
        service: { name: 'Roads', layers: [{ name: 'R', count: 3 }] },
      },
    ];
    await writeFile(path, JSON.stringify({ group: { id: transportGroupId, title: 'Mine' }, items }));
    const client = await signIn(await start({ seed: path }), 'owner');
    const { url } = (await (await client.get(`/content/items/${map}/data`)).json()) as { url: string };
    expect(await client.call(`${url}/query`, { where: '1=1', returnCountOnly: 'true' })).toEqual({
      count: 3,
    });
    await writeFile(path, JSON.stringify({ group: { id: 'short', title: 'Mine' }, items: [] }));
    await expect(start({ seed: path })).rejects.toThrow('is not valid');
  });

  it('add users, map services and settings from a file', async () => {
    const path = join(await freshFolder(), 'seed.json');
    const settings = { informationalBanner: { text: 'Open' } };
    const items = [{ id: '3'.repeat(32), title: 'Duties', type: 'PDF', owner: 'team', text: 'x' }];
    const services = [{ folder: 'Traffic', name: 'Closures', layers: [{ name: 'Closures', count: 7 }] }];
    await writeFile(path, JSON.stringify({ users: ['team'], items, services, settings }));
    const { world } = await start({ seed: path });
    expect(world.users.get('team')).toMatchObject({ username: 'team', role: 'org_publisher' });
    expect(world.items.get('3'.repeat(32))).toMatchObject({ owner: 'team', groups: [] });
    expect(world.services.get('gis/Traffic/Closures/MapServer')?.layers).toMatchObject([{ count: 7 }]);
    expect(world.portal.settings).toEqual(settings);
  });

  it('have many items, listed in pages of ten, of a hundred at most', async () => {
    const client = await signIn(await start({ seed: 'many', seedItems: 205 }), 'owner');
    const path = `/content/groups/${manyGroupId}`;
    expect(await client.call(path)).toMatchObject({ total: 205, start: 1, num: 10, nextStart: 11 });
    expect(await client.call(path, { num: '1000' })).toMatchObject({ num: 100, nextStart: 101 });
    expect(await client.call(path, { start: '201', num: '100' })).toMatchObject({ num: 5, nextStart: -1 });
  });

  it('are listed when a name is unknown', async () => {
    await expect(start({ seed: 'unheard-of' })).rejects.toThrow(
      'There is no seed "unheard-of"; built in are: transport, transport-own-server, transport-group-apps, transport-target, empty, unsupported-only, many, big',
    );
  });
});

describe('options', () => {
  it('are checked', async () => {
    await expect(start({ version: 'eleven' })).rejects.toThrow(
      '"eleven" is no version such as 11.2 or 10.8.1',
    );
    await expect(start({ jobPolls: -1 })).rejects.toThrow('jobPolls must be a number of at least 0, not -1');
  });

  it('read final job statuses from a text', () => {
    expect(parseFinalStatus('export=succeeded,import=complete')).toEqual({
      export: 'succeeded',
      import: 'complete',
    });
    expect(parseFinalStatus('import=Archived')).toEqual({ import: 'Archived' });
    expect(() => parseFinalStatus('both=x')).toThrow('"both=x" is not export=WORD or import=WORD');
  });
});
