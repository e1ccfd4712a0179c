import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addItemPart,
  cancelItemUpload,
  commitItemUpload,
  createFolder,
  createItem,
  createItemInFolder,
  getGroup,
  getGroupContent,
  getItem,
  getItemData,
  getItemParts,
  getItemResources,
  getItemStatus,
  getPortal,
  getRelatedItems,
  getSelf,
  getUserContent,
  moveItem,
  protectItem,
  removeItem,
  searchGroupContent,
  searchItems,
  unprotectItem,
  updateItem,
} from '@esri/arcgis-rest-portal';
import { ApplicationCredentialsManager, ArcGISIdentityManager } from '@esri/arcgis-rest-request';
import { setTimeout as sleep } from 'node:timers/promises';
import { transportGroupId, transportItems } from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import type { Simulator } from '../../src/simulator/simulator';
import { builtInApplication } from '../../src/simulator/tokens';
import { start, stopAll } from './harness';

let simulator: Simulator;
let authentication: ArcGISIdentityManager;

beforeEach(async () => {
  simulator = await start({ seed: 'transport', strict: true, commitLagMs: 30 });
  authentication = await ArcGISIdentityManager.signIn({ ...builtInUsers.owner, portal: simulator.url });
});

afterEach(stopAll);

const portal = (): { portal: string; authentication: ArcGISIdentityManager } => ({
  portal: simulator.url,
  authentication,
});

describe('the vendor’s JavaScript client, driving a strict simulated portal', () => {
  it('signs in and knows the user and the portal', async () => {
    expect(authentication.token).toBeTruthy();
    expect((await authentication.getUser()).username).toBe('owner');
    const self = await getSelf(portal());
    expect(self).toMatchObject({ isPortal: true, enterpriseVersion: '11.4.0', user: { username: 'owner' } });
    expect((await getPortal('self', portal())).id).toBe('0123456789ABCDEF');
  });

  it('is refused with a wrong password', async () => {
    const wrong = ArcGISIdentityManager.signIn({ username: 'owner', password: 'no', portal: simulator.url });
    await expect(wrong).rejects.toThrow('Unable to generate token.');
  });

  it('renews its token once the portal calls it invalid', async () => {
    simulator.world.expireTokens();
    const group = await getGroup(transportGroupId, portal());
    expect(group.title).toBe('Transport');
    const invalid = simulator.requests().filter(({ errorCode }) => errorCode === 498);
    expect(invalid).toHaveLength(1);
  });

  it('finds items and lists the content of a group', async () => {
    const found = await searchItems({ q: 'type:"Web Map" AND owner:owner', ...portal() });
    expect(found.results.map(({ id }) => id)).toEqual([transportItems.map]);
    const content = await getGroupContent(transportGroupId, { ...portal(), paging: { start: 1, num: 5 } });
    expect(content).toMatchObject({ total: 13, start: 1, num: 5, nextStart: 6 });
    const inGroup = await searchGroupContent({ groupId: transportGroupId, q: 'type:CSV', ...portal() });
    expect(inGroup.results.map(({ title }) => title)).toEqual(['Traffic counts']);
  });

  it('reads an item, its data, its resources and what it is related to', async () => {
    const map = await getItem(transportItems.map, portal());
    expect(map.title).toBe('Transport projects');
    const data = (await getItemData(transportItems.map, portal())) as { operationalLayers: unknown[] };
    expect(data.operationalLayers).toHaveLength(7);
    const resources = (await getItemResources(transportItems.experience, portal())) as { total: number };
    expect(resources.total).toBe(1);
    const related = await getRelatedItems({
      id: transportItems.view,
      relationshipType: 'Service2Service',
      ...portal(),
    });
    expect(related.relatedItems.map(({ id }) => id)).toEqual([transportItems.projects]);
  });

  it('adds, updates, moves, protects and removes an item', async () => {
    const file = new File(['a,b\n1,2\n'], 'small.csv', { type: 'text/csv' });
    const item = { title: 'small', type: 'CSV', tags: ['one', 'two'] };
    const { id } = await createItem({ item, file, ...portal() });
    expect((await getItem(id, portal())).tags).toEqual(['one', 'two']);
    await updateItem({ item: { id, snippet: 'now with words' }, ...portal() });
    expect((await getItem(id, portal())).snippet).toBe('now with words');
    const { folder } = await createFolder({ title: 'Kept', ...portal() });
    await moveItem({ itemId: id, folderId: folder.id, ...portal() });
    expect((await getUserContent({ folderId: folder.id, ...portal() })).items.map((one) => one.id)).toEqual([
      id,
    ]);
    await protectItem({ id, ...portal() });
    await expect(removeItem({ id, ...portal() })).rejects.toThrow('Delete protection is turned on');
    await unprotectItem({ id, ...portal() });
    expect(await removeItem({ id, ...portal() })).toMatchObject({ success: true, itemId: id });
    await expect(getItem(id, portal())).rejects.toThrow('Item does not exist or is inaccessible.');
    await expect(createFolder({ title: 'kept', ...portal() })).rejects.toThrow('not available');
  });

  it('uploads in parts, commits, waits for the item and gets the same bytes back', async () => {
    const whole = Buffer.alloc(12 * 1024 * 1024, 'portolan ');
    const item = { title: 'large', type: 'Image' };
    const { id } = await createItem({ item, multipart: true, filename: 'large.tif', ...portal() });
    const cut = 6 * 1024 * 1024;
    for (const [partNum, bytes] of [
      [2, whole.subarray(cut)],
      [1, whole.subarray(0, cut)],
    ] as const) {
      await addItemPart({ id, partNum, file: new File([Uint8Array.from(bytes)], 'part'), ...portal() });
    }
    expect((await getItemStatus({ id, ...portal() })).status).toBe('partial');
    expect((await getItemParts({ id, ...portal() })).parts).toEqual([1, 2]);
    await commitItemUpload({ id, item: { ...item, id, owner: 'owner' }, ...portal() });
    let size = 0;
    while (size === 0) {
      size = await getItem(id, portal()).then(
        (one) => one.size ?? 0,
        () => sleep(10, 0),
      );
    }
    expect(size).toBe(whole.length);
    const blob = (await getItemData(id, { ...portal(), file: true })) as Blob;
    expect(Buffer.from(await blob.arrayBuffer()).equals(whole)).toBe(true);
  });

  it('drops an upload that was begun', async () => {
    const item = { title: 'large', type: 'Image' };
    const { id, folder } = await createItemInFolder({
      item,
      multipart: true,
      filename: 'large.tif',
      ...portal(),
    });
    expect(folder).toBeNull();
    await cancelItemUpload({ id, ...portal() });
    await expect(getItemStatus({ id, ...portal() })).rejects.toThrow(
      'Item does not exist or is inaccessible.',
    );
  });

  it('gets a token as an application, which has no user', async () => {
    const application = ApplicationCredentialsManager.fromCredentials({
      ...builtInApplication,
      portal: simulator.url,
    });
    const self = await getSelf({ portal: simulator.url, authentication: application });
    expect(self.isPortal).toBe(true);
    expect(self.user).toBeUndefined();
  });
});
