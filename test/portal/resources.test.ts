import { afterEach, describe, expect, it } from '@jest/globals';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../src/portal/category-schema';
import { createFolder } from '../../src/portal/folders';
import {
  canDelete,
  deleteItem,
  readItem,
  readItemResourceText,
  updateItemTags,
} from '../../src/portal/items';
import { countFeatures } from '../../src/portal/layers';
import { readContentDisk } from '../../src/portal/machines';
import { readSelf, readServers } from '../../src/portal/portals';
import { readSettings, updateSettings } from '../../src/portal/settings';
import { anyObject } from '../../src/portal/reading';
import { updateTaskRun } from '../../src/portal/tasks';
import { releaseFrom } from '../../src/portal/versions';
import { bearerOf, failureOf, inTurn, json, portalError, RawPortal, type Reply, words } from './raw-portal';

const portals: RawPortal[] = [];
afterEach(() => Promise.all(portals.splice(0).map((portal) => portal.stop())));
const start = async (replies: Record<string, Reply>) => {
  const portal = await RawPortal.start(replies);
  portals.push(portal);
  return portal;
};

const success = json({ success: true });

describe('settings', () => {
  const notice = { title: 'Hello', text: 'Read this', buttons: 'acceptAndDecline', enabled: true } as const;
  const banner = { text: 'Soon', bgColor: 'red', fontColor: '#fff', enabled: false };

  it('are sent as one JSON field each, and what is not set not at all', async () => {
    const portal = await start({ 'portals/p/settings/update': success });
    await updateSettings(portal.client(), 'p', {
      anonymousAccessNotice: notice,
      informationalBanner: banner,
      portalConfigProperties: { tokenExpiration: 60, iotViewerUrl: 'https://iot.example.com' },
      version: releaseFrom('11.1'),
    });
    expect(Object.fromEntries(portal.at('portals/p/settings/update')[0]?.form ?? [])).toEqual({
      anonymousAccessNotice: JSON.stringify(notice),
      informationalBanner: JSON.stringify(banner),
      portalConfigProperties: '{"tokenExpiration":60,"iotViewerUrl":"https://iot.example.com"}',
      f: 'json',
    });
  });

  it('leave out what the release does not know, and are refused where they would be ignored', async () => {
    const portal = await start({ 'portals/p/settings/update': success });
    const properties = { tokenExpiration: 60, iotViewerUrl: 'https://iot.example.com' };
    const update = (release: string) =>
      updateSettings(portal.client(), 'p', {
        portalConfigProperties: properties,
        version: releaseFrom(release),
      });
    await update('11.0');
    expect(portal.at('portals/p/settings/update')[0]?.form.get('portalConfigProperties')).toBe(
      '{"tokenExpiration":60}',
    );
    expect(await failureOf(update('10.9.1'))).toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  it('are read whole', async () => {
    const portal = await start({ 'portals/p/settings': json({ informationalBanner: banner, other: 1 }) });
    expect(await readSettings(portal.client(), 'p')).toEqual({ informationalBanner: banner, other: 1 });
  });
});

describe('a category schema', () => {
  it('is read, set and removed', async () => {
    const trees = [{ title: 'Categories', categories: [{ title: 'Roads' }] }];
    const portal = await start({
      'portals/p/categorySchema': inTurn(
        json({ categorySchema: trees }),
        json({ categorySchema: {} }),
        json({}),
      ),
      'portals/p/assignCategorySchema': success,
      'portals/p/deleteCategorySchema': inTurn(
        success,
        portalError(404, 'Resource does not exist or is inaccessible.'),
      ),
    });
    const client = portal.client();
    expect(await readCategorySchema(client, 'p')).toEqual(trees);
    expect(await readCategorySchema(client, 'p')).toEqual([]);
    expect(await readCategorySchema(client, 'p')).toEqual([]);
    await assignCategorySchema(client, 'p', trees);
    expect(portal.at('portals/p/assignCategorySchema')[0]?.form.get('categorySchema')).toBe(
      JSON.stringify({ categorySchema: trees }),
    );
    await deleteCategorySchema(client, 'p');
    expect(await failureOf(deleteCategorySchema(client, 'p'))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a task run', () => {
  it('is given a status and a result', async () => {
    const path = 'community/users/o/tasks/t/runs/r/update';
    const portal = await start({ [path]: json({ success: true, taskId: 't', runId: 'r' }) });
    const run = { username: 'o', taskId: 't', runId: 'r' };
    expect(
      await updateTaskRun(portal.client(), { ...run, status: 'succeeded', result: 'All well.' }),
    ).toEqual({
      taskId: 't',
      runId: 'r',
    });
    expect(Object.fromEntries(portal.at(path)[0]?.form ?? [])).toEqual({
      status: 'succeeded',
      result: 'All well.',
      f: 'json',
    });
  });
});

describe('a folder', () => {
  it('whose title is taken is the one that is there', async () => {
    const portal = await start({
      'content/users/o/createFolder': portalError(400, "Unable to create folder. A folder named 'A' exists."),
      'content/users/o': json({
        items: [],
        folders: [{ id: 'f1', title: 'A', username: 'o' }],
        nextStart: -1,
      }),
    });
    expect(await createFolder(portal.client(), { username: 'o', title: 'A' })).toMatchObject({
      created: false,
      folder: { id: 'f1' },
    });
  });

  it('that cannot be made for another reason is an error', async () => {
    const portal = await start({
      'content/users/o/createFolder': portalError(400, 'Quota.'),
      'content/users/o': json({ items: [{ id: 'i' }], folders: [], nextStart: -1 }),
    });
    expect(await failureOf(createFolder(portal.client(), { username: 'o', title: 'A' }))).toMatchObject({
      code: 'BAD_REQUEST',
    });
  });
});

describe('an item', () => {
  it('that is gone when it is to be removed is absent', async () => {
    const portal = await start({
      'content/users/o/items/i/delete': inTurn(
        success,
        portalError(400, 'Item does not exist or is inaccessible.'),
      ),
    });
    const remove = () => deleteItem(portal.client(), { owner: 'o', itemId: 'i', permanent: true });
    expect([await remove(), await remove()]).toEqual(['deleted', 'absent']);
    expect(portal.at('content/users/o/items/i/delete')[0]?.form.get('permanentDelete')).toBe('true');
  });

  it('says why it cannot be removed, although that comes as an error', async () => {
    const error = {
      code: 400,
      messageCode: 'CONT_0048',
      message: 'Unable to delete item. Delete protection is turned on.',
    };
    const portal = await start({
      'content/users/o/items/i/canDelete': json({ itemId: 'i', success: false, error }),
    });
    expect(await canDelete(portal.client(), { owner: 'o', itemId: 'i' })).toEqual({
      deletable: false,
      reason: 'Unable to delete item. Delete protection is turned on.',
    });
  });

  it('gets its tags in one field', async () => {
    const portal = await start({ 'content/users/o/f/items/i/update': success });
    await updateItemTags(portal.client(), { owner: 'o', itemId: 'i', folderId: 'f', tags: ['a', 'b'] });
    expect(portal.at('content/users/o/f/items/i/update')[0]?.form.get('tags')).toBe('a,b');
  });

  it('cannot be addressed by an id that would change the path', async () => {
    const portal = await start({});
    const resource = readItemResourceText(portal.client(), 'i', '../x', { maxBytes: 10 });
    expect(await failureOf(resource)).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await failureOf(readItem(portal.client(), '..'))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(portal.seen).toHaveLength(0);
  });
});

describe('the portal itself', () => {
  it('is asked for its version at the root where its record has none', async () => {
    const portal = await start({
      'portals/self': json({ id: 'p', user: null }),
      '': json({ currentVersion: '10.3' }),
    });
    expect(await readSelf(portal.client())).toMatchObject({ id: 'p', currentVersion: '10.3' });
  });
});

describe('the free space of the content store', () => {
  const admin = '/portal/portaladmin';
  const usage = (free: unknown, more: object) => ({ mount: '/', diskUsableSpaceGB: free, ...more });
  const diskOf = async (hardware: Reply, machines: Reply = json({ machines: [{ machineName: 'M1' }] })) => {
    const portal = await start({
      [`${admin}/machines`]: machines,
      [`${admin}/machines/M1/hardware`]: hardware,
    });
    return readContentDisk(portal.client());
  };

  it.each([
    [
      'directoryType',
      usage(42, { directoryType: 'content', path: '/data/x' }),
      { usableGB: 42, where: 'M1: /data/x' },
    ],
    [
      'another name, as a string',
      usage('7.5', { type: 'CONTENT_DIR' }),
      { usableGB: 7.5, where: 'M1: content' },
    ],
    [
      'the path alone',
      usage(1, { path: 'D:\\arcgisportal\\content' }),
      { usableGB: 1, where: 'M1: D:\\arcgisportal\\content' },
    ],
  ])('is found by %s', async (_title, content, disk) => {
    const localDiskUsage = [usage(500, { directoryType: 'logs', path: '/logs' }), content];
    expect(await diskOf(json({ localDiskUsage }))).toEqual(disk);
  });

  const machines = json({ machines: [{ machineName: 'M1' }] });
  it.each<[string, Reply, Reply]>([
    ['where no directory is named', json({ localDiskUsage: [usage(5, { mount: 'N/A' })] }), machines],
    [
      'for those who may not',
      json({ status: 'error', messages: ['You do not have permissions.'], code: 403 }),
      machines,
    ],
    ['on an older portal', portalError(404, 'Resource does not exist or is inaccessible.'), machines],
    ['behind a web server that hides it', json({}), words('<html></html>', 404)],
  ])('is not known %s', async (_title, hardware, machines) => {
    expect(await diskOf(hardware, machines)).toBeUndefined();
  });
});

describe('the token', () => {
  const SERVICE = '/server/rest/services/Roads/FeatureServer/0/query';

  it('goes to a server that the portal names as its own', async () => {
    const server = await start({ [SERVICE]: json({ count: 7 }) });
    const root = `${new URL(server.url).origin}/server`;
    const portal = await start({ 'portals/p/servers': json({ servers: [{ url: root, isHosted: true }] }) });
    const client = portal.client();
    await readServers(client, 'p');
    expect(await countFeatures(client, `${root}/rest/services/Roads/FeatureServer`, 0)).toBe(7);
    expect(server.seen.map(bearerOf)).toEqual(['token-not-to-be-seen-1']);
  });

  it('is swapped for the token of a server that only the portal knows', async () => {
    const server = await start({ [SERVICE]: json({ count: 7 }) });
    const given: string[] = [];
    const portal = await start({
      generateToken: (seen, response) => {
        given.push(seen.form.get('serverUrl') ?? 'sign-in');
        return json({ token: `given-${given.length}`, expires: Date.now() + 60_000 })(seen, response);
      },
    });
    const client = portal.client();
    const service = `${new URL(server.url).origin}/server/rest/services/Roads/FeatureServer`;
    await countFeatures(client, service, 0);
    await countFeatures(client, service, 0);
    expect(server.seen.map(bearerOf)).toEqual(['given-2', 'given-2']);
    expect(given).toHaveLength(2);
  });

  it('never goes to any other server', async () => {
    const server = await start({ [SERVICE]: json({ count: 7 }) });
    const portal = await start({
      generateToken: (seen, response) =>
        (seen.form.has('serverUrl')
          ? portalError(400, 'Unable to generate token.')
          : json({ token: 'portal-token', expires: Date.now() + 60_000 }))(seen, response),
    });
    const { host, origin } = new URL(server.url);
    expect(
      await failureOf(
        countFeatures(portal.client(), `${origin}/server/rest/services/Roads/FeatureServer`, 0),
      ),
    ).toMatchObject({
      code: 'PERMISSION_DENIED',
      message: `${host} is no server of staging, so no token is sent there.`,
    });
    expect(server.seen).toHaveLength(0);
  });

  it('of a POST to the administration is in the body', async () => {
    const portal = await start({ '/portal/portaladmin/x': success });
    await portal
      .client()
      .call({ operation: 'x', method: 'POST', below: 'admin', path: 'x', schema: anyObject });
    const [seen] = portal.at('/portal/portaladmin/x');
    expect([seen?.form.get('token'), seen && bearerOf(seen)]).toEqual(['token-not-to-be-seen-1', undefined]);
  });
});
