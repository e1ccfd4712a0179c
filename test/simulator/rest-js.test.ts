import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import type { Simulator } from '../../src/simulator/simulator';
import { start, stopAll } from './harness';

// The client brings a FormData of its own for Node, which it then gives to the fetch of Node; later
// versions of that know their own alone.
jest.mock('@esri/arcgis-rest-form-data', () => ({ FormData, File, Blob }));

/** Their types are for `import` only. */
const load = async () => ({
  ...(await import('@esri/arcgis-rest-request')),
  ...(await import('@esri/arcgis-rest-portal')),
});
type Rest = Awaited<ReturnType<typeof load>>;
type Authentication = InstanceType<Rest['ArcGISIdentityManager']>;

let simulator: Simulator;
let rest: Rest;
let authentication: Authentication;

beforeAll(async () => {
  rest = await load();
});

beforeEach(async () => {
  simulator = await start({ seed: 'transport', strict: true, commitLagMs: 30 });
  authentication = await rest.ArcGISIdentityManager.signIn({ ...builtInUsers.owner, portal: simulator.url });
});

afterEach(stopAll);

const portal = (): { portal: string; authentication: Authentication } => ({
  portal: simulator.url,
  authentication,
});

describe('the JavaScript client of the portal vendor', () => {
  it('reads an item, its data, resources and related items', async () => {
    const map = await rest.getItem(transportItems.map, portal());
    expect(map.title).toBe('Transport projects');
    const data = (await rest.getItemData(transportItems.map, portal())) as { operationalLayers: unknown[] };
    expect(data.operationalLayers).toHaveLength(7);
    const resources = (await rest.getItemResources(transportItems.experience, portal())) as { total: number };
    expect(resources.total).toBe(1);
    const related = await rest.getRelatedItems({
      id: transportItems.view,
      relationshipType: 'Service2Service',
      ...portal(),
    });
    expect(related.relatedItems.map(({ id }) => id)).toEqual([transportItems.projects]);
  });

  it('adds, updates and removes resources of an item', async () => {
    const id = transportItems.story;
    const resource = (text: string) => new File([text], 'x.txt', { type: 'text/plain' });
    const named = { id, name: 'notes.txt', prefix: 'more', ...portal() };
    await rest.addItemResource({ ...named, resource: resource('one') });
    await expect(rest.addItemResource({ ...named, resource: resource('two') })).rejects.toThrow(/already/);
    await rest.updateItemResource({ ...named, resource: resource('three') });
    const read = (await rest.getItemResource(id, {
      fileName: 'more/notes.txt',
      readAs: 'text',
      ...portal(),
    })) as string;
    expect(read).toBe('three');
    await rest.removeItemResource({ id, resource: 'more/notes.txt', ...portal() });
    await expect(rest.removeItemResource({ id, resource: 'more/notes.txt', ...portal() })).rejects.toThrow(
      /does not exist/,
    );
    await expect(rest.updateItemResource({ ...named, resource: resource('four') })).rejects.toThrow(
      /does not exist/,
    );
  });

  it('adds, updates, moves, protects and removes an item', async () => {
    const file = new File(['a,b\n1,2\n'], 'small.csv', { type: 'text/csv' });
    const item = { title: 'small', type: 'CSV', tags: ['one', 'two'] };
    const { id } = await rest.createItem({ item, file, ...portal() });
    expect((await rest.getItem(id, portal())).tags).toEqual(['one', 'two']);
    await rest.updateItem({ item: { id, snippet: 'now with words' }, ...portal() });
    expect((await rest.getItem(id, portal())).snippet).toBe('now with words');
    const { folder } = await rest.createFolder({ title: 'Kept', ...portal() });
    await rest.moveItem({ itemId: id, folderId: folder.id, ...portal() });
    expect(
      (await rest.getUserContent({ folderId: folder.id, ...portal() })).items.map((one) => one.id),
    ).toEqual([id]);
    await rest.protectItem({ id, ...portal() });
    await expect(rest.removeItem({ id, ...portal() })).rejects.toThrow('Delete protection is turned on');
    await rest.unprotectItem({ id, ...portal() });
    expect(await rest.removeItem({ id, ...portal() })).toMatchObject({ success: true, itemId: id });
    await expect(rest.getItem(id, portal())).rejects.toThrow('Item does not exist or is inaccessible.');
    await expect(rest.createFolder({ title: 'kept', ...portal() })).rejects.toThrow(
      'Unable to create folder',
    );
  });

  it('edits features without changing the item, shares and unshares items', async () => {
    const before = await rest.getItem(transportItems.roads, portal());
    const layer = `${before.url ?? ''}/0`;
    simulator.setClock(Date.UTC(2027, 0, 1));
    const added = { attributes: { NAME: 'SR 999' }, geometry: { x: 1, y: 2 } };
    const params = {
      adds: [added],
      updates: [{ attributes: { OBJECTID: 1, STATUS: 'shut' } }],
      deletes: [2, 3],
    };
    const results = (await rest.request(`${layer}/applyEdits`, { ...portal(), params })) as object;
    expect(results).toMatchObject({
      addResults: [{ success: true }],
      updateResults: [{ success: true }],
      deleteResults: [{ success: true }, { success: true }],
    });
    const record = (await rest.request(layer, portal())) as { editingInfo: { lastEditDate: number } };
    expect(new Date(record.editingInfo.lastEditDate).getUTCFullYear()).toBe(2027);
    expect((await rest.getItem(transportItems.roads, portal())).modified).toBe(before.modified);
    const shared = { id: transportItems.roads, groupId: transportGroupId, ...portal() };
    const inGroup = async (): Promise<number> =>
      (await rest.getGroupContent(transportGroupId, { ...portal(), paging: { start: 1, num: 1 } })).total;
    await rest.unshareItemWithGroup(shared);
    expect(await inGroup()).toBe(12);
    await rest.shareItemWithGroup(shared);
    expect(await inGroup()).toBe(13);
  });

  it('uploads in parts, commits and downloads the same bytes', async () => {
    const whole = Buffer.alloc(12 * 1024 * 1024, 'portolan ');
    const item = { title: 'large', type: 'Image' };
    const { id } = await rest.createItem({ item, multipart: true, filename: 'large.tif', ...portal() });
    const cut = 6 * 1024 * 1024;
    for (const [partNum, bytes] of [
      [2, whole.subarray(cut)],
      [1, whole.subarray(0, cut)],
    ] as const) {
      await rest.addItemPart({ id, partNum, file: new File([Uint8Array.from(bytes)], 'part'), ...portal() });
    }
    expect((await rest.getItemStatus({ id, ...portal() })).status).toBe('partial');
    expect((await rest.getItemParts({ id, ...portal() })).parts).toEqual([1, 2]);
    await rest.commitItemUpload({ id, item: { ...item, id, owner: 'owner' }, ...portal() });
    let size = 0;
    while (size === 0) {
      size = await rest.getItem(id, portal()).then(
        (one) => one.size ?? 0,
        () => sleep(10, 0),
      );
    }
    expect(size).toBe(whole.length);
    const blob = (await rest.getItemData(id, { ...portal(), file: true })) as Blob;
    expect(Buffer.from(await blob.arrayBuffer()).equals(whole)).toBe(true);
  });
});
