import { afterEach, describe, expect, it } from '@jest/globals';
import { manyGroupId } from '../../src/simulator/seed/seeds';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { Client, signIn, start, stopAll } from './harness';

afterEach(stopAll);

describe('content of groups and users', () => {
  it('is listed in pages of ten, of a hundred at most', async () => {
    const client = await signIn(await start({ seed: 'many', seedItems: 205 }), 'owner');
    const path = `/content/groups/${manyGroupId}`;
    expect(await client.call(path)).toMatchObject({ total: 205, start: 1, num: 10, nextStart: 11 });
    expect(await client.call(path, { num: '1000' })).toMatchObject({ num: 100, nextStart: 101 });
    expect(await client.call(path, { start: '201', num: '100' })).toMatchObject({ num: 5, nextStart: -1 });
    expect(await client.call(path, { start: '300', num: '100' })).toMatchObject({ num: 0, nextStart: -1 });
  });

  it('is in folders with unique titles', async () => {
    const simulator = await start();
    const client = await signIn(simulator, 'owner');
    const create = '/content/users/owner/createFolder';
    const { folder } = await client.call<{ folder: { id: string } }>(create, { title: 'Roads' });
    expect(await client.call(create, { title: 'roads' })).toMatchObject({
      error: {
        code: 400,
        message: 'Unable to create folder.',
        details: ["Folder title 'roads' not available."],
      },
    });
    expect(await client.call(create, { title: 'x'.repeat(251) })).toMatchObject({ error: { code: 400 } });
    const added = await client.call(`/content/users/owner/${folder.id}/addItem`, {
      title: 'x',
      type: 'CSV',
      text: '1',
    });
    expect(added).toMatchObject({ success: true, folder: folder.id });
    const root = await client.call('/content/users/owner');
    expect(root).toMatchObject({ total: 0, currentFolder: null, folders: [{ title: 'Roads' }] });
    expect(await client.call(`/content/users/owner/${folder.id}`)).toMatchObject({ total: 1 });
    await client.call(`/content/users/owner/${folder.id}/delete`);
    expect(simulator.world.items.size).toBe(0);
  });

  it('lists its groups, dependencies and related items', async () => {
    const client = await signIn(await start({ seed: 'transport', version: '11.2' }), 'owner');
    const item = (id: string, path: string): string => `/content/items/${id}/${path}`;
    expect(await client.call(item(transportItems.map, 'groups'))).toMatchObject({
      admin: [{ id: transportGroupId }],
      member: [],
      other: [],
    });
    expect(await client.call(item(transportItems.app, 'dependencies'))).toMatchObject({
      list: [{ dependencyType: 'id', id: transportItems.map }],
      nextStart: -1,
    });
    const direction = { relationshipType: 'Map2App', direction: 'forward' };
    expect(await client.call(item(transportItems.map, 'relatedItems'), direction)).toMatchObject({
      total: 1,
      relatedItems: [{ id: transportItems.app }],
    });
  });
});

describe('hosted services', () => {
  it('show layers, counts, edit dates and features to readers of the item', async () => {
    const simulator = await start({ seed: 'transport' });
    const client = await signIn(simulator, 'viewer');
    const { url } = await client.call<{ url: string }>(`/content/items/${transportItems.roads}`);
    expect(await client.call(url)).toMatchObject({
      layers: [
        { id: 0, name: 'Routes' },
        { id: 1, name: 'Mileposts' },
      ],
      tables: [{ id: 2, name: 'Surveys' }],
    });
    const layer = await client.call<{ editingInfo: { lastEditDate: number } }>(`${url}/1`);
    expect(layer.editingInfo.lastEditDate).toBeGreaterThan(0);
    const where = '1=1';
    expect(await client.call(`${url}/1/query`, { where, returnCountOnly: 'true' })).toEqual({ count: 2500 });
    const page = await client.call<{ features: object[] }>(`${url}/2/query`, { where, resultOffset: '300' });
    expect(page.features).toHaveLength(40);
    expect(await client.call(`${url}/9`)).toMatchObject({ error: { code: 404 } });
    expect(await new Client(simulator, undefined).call(url)).toMatchObject({ error: { code: 499 } });
    expect(await (await signIn(simulator, 'other')).call(url)).toMatchObject({ error: { code: 403 } });
    const open = new Client(simulator, undefined);
    const closures = `${simulator.world.gisServerUrl}/rest/services/Traffic/Closures/MapServer`;
    expect(await open.call(`${closures}/0/query`, { where, returnCountOnly: 'true' })).toEqual({ count: 17 });
  });
});
