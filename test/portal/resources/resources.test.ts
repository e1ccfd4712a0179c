import { afterEach, describe, expect, it } from '@jest/globals';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../../src/portal/resources/category-schema';
import { readItemResourceText } from '../../../src/portal/resources/items/item-files';
import { createFolder } from '../../../src/portal/resources/folders';
import {
  canDelete,
  deleteItem,
  findItem,
  readItem,
  updateItemTags,
} from '../../../src/portal/resources/items/items';
import { countFeatures } from '../../../src/portal/resources/layers';
import { readContentDisk } from '../../../src/portal/resources/machines';
import { readSelf } from '../../../src/portal/resources/portals';
import { readSettings, updateSettings } from '../../../src/portal/resources/settings';
import { anyObject } from '../../../src/portal/http/reading';
import { updateTaskRun } from '../../../src/portal/resources/tasks';
import { releaseFrom, releaseOf } from '../../../src/portal/http/versions';
import { bearerOf, failureOf, inTurn, json, portalError, RawPortal, type Reply, words } from '../raw-portal';

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

  const properties = { tokenExpiration: 60 };
  const viewer = { iotViewerUrl: 'https://iot.example.com' };
  it.each([
    [
      'advanced properties below 11.0',
      { portalConfigProperties: properties, version: releaseFrom('10.9.1') },
      'staging takes portalConfigProperties from 11.0 on.',
    ],
    [
      'the address of the streaming application below 11.1',
      { portalConfigProperties: viewer, version: releaseFrom('11.0') },
      'staging takes iotViewerUrl from 11.1 on.',
    ],
    [
      'advanced properties of the hosted deployment',
      { portalConfigProperties: properties, version: releaseFrom('11.4'), isPortal: false },
      'staging is the hosted deployment, which has no portalConfigProperties.',
    ],
    [
      'a notice to those signed in of a self-managed portal',
      { authenticatedAccessNotice: notice, version: releaseFrom('11.4'), isPortal: true },
      'staging is self-managed; only the hosted deployment has an authenticatedAccessNotice.',
    ],
  ])('are refused where a portal would ignore them: %s', async (_title, update, message) => {
    const portal = await start({ 'portals/p/settings/update': success });
    expect(await failureOf(updateSettings(portal.client(), 'p', update))).toMatchObject({
      code: 'NOT_SUPPORTED',
      message,
    });
    expect(portal.seen).toHaveLength(0);
  });

  it('are sent to a portal that does not say how it is deployed', async () => {
    const portal = await start({ 'portals/p/settings/update': success });
    await updateSettings(portal.client(), 'p', {
      authenticatedAccessNotice: notice,
      portalConfigProperties: properties,
      version: releaseFrom('11.0'),
    });
    expect([...(portal.at('portals/p/settings/update')[0]?.form.keys() ?? [])]).toEqual([
      'authenticatedAccessNotice',
      'portalConfigProperties',
      'f',
    ]);
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

describe('a category schema that a portal does not have', () => {
  it.each([[[]], [{}], [{ categorySchema: null }], [{ categorySchema: {} }]])(
    'reads as none where the answer is %j',
    async (answer) => {
      const portal = await start({ 'portals/p/categorySchema': json(answer) });
      expect(await readCategorySchema(portal.client(), 'p')).toEqual([]);
    },
  );

  it('is not made of one that cannot be read as a whole', async () => {
    const categorySchema = [{ title: 'Roads', categories: [{ title: null }] }];
    const portal = await start({ 'portals/p/categorySchema': json({ categorySchema }) });
    expect(await failureOf(readCategorySchema(portal.client(), 'p'))).toMatchObject({ code: 'BAD_RESPONSE' });
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

describe('the result of a task run', () => {
  it('may be empty, which is another thing than none', async () => {
    const path = 'community/users/o/tasks/t/runs/r/update';
    const portal = await start({ [path]: json({ success: true }) });
    const run = { username: 'o', taskId: 't', runId: 'r', status: 'failed' } as const;
    await updateTaskRun(portal.client(), { ...run, result: '' });
    await updateTaskRun(portal.client(), run);
    expect(portal.at(path).map((seen) => seen.form.get('result'))).toEqual(['', null]);
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

  it('that this account may not read is as good as absent', async () => {
    const words = 'You do not have permissions to access this resource or perform this operation.';
    const portal = await start({ 'content/items/i': portalError(403, words) });
    expect(await findItem(portal.client(), 'i')).toBeUndefined();
    expect(await failureOf(readItem(portal.client(), 'i'))).toMatchObject({ code: 'PERMISSION_DENIED' });
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

  it('is asked at the root for its release where its record has only the number of the interface', async () => {
    const portal = await start({
      'portals/self': json({ id: 'p', currentVersion: '2025.1' }),
      '': json({ currentVersion: '2025.1', enterpriseVersion: '12.0.0' }),
    });
    expect(releaseOf(await readSelf(portal.client()))?.text).toBe('12.0');
  });

  it('is taken by its number where the root does not answer', async () => {
    const portal = await start({
      'portals/self': json({ id: 'p', currentVersion: '2024.1' }),
      '': words('<html></html>', 503),
    });
    expect(releaseOf(await readSelf(portal.client()))?.text).toBe('11.3');
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
    return readContentDisk(portal.client(), { version: releaseFrom('11.3') });
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

  it('is not asked for below 11.3', async () => {
    const portal = await start({});
    expect(await readContentDisk(portal.client(), { version: releaseFrom('11.2') })).toBeUndefined();
    expect(portal.seen).toHaveLength(0);
  });

  it.each([
    ['refuses the token', portalError(498, 'Invalid token.')],
    ['shows a page', words('<html><title>Sign in</title></html>')],
  ])('costs no new sign-in where the administration %s', async (_title, answer) => {
    const portal = await start({ [`${admin}/machines`]: answer });
    const client = portal.client();
    const version = releaseFrom('11.4');
    expect(await readContentDisk(client, { version })).toBeUndefined();
    expect(await readContentDisk(client, { version })).toBeUndefined();
    expect(portal.tokens).toBe(1);
  });
});

describe('the token', () => {
  const SERVICE = '/server/rest/services/Roads/FeatureServer/0/query';

  const SERVER_ROOT = '/server';
  const serviceOn = (server: RawPortal) =>
    `${new URL(server.url).origin}${SERVER_ROOT}/rest/services/Roads/FeatureServer`;
  /** A portal whose exchange of tokens is noted, and answered by what a test says. */
  const exchanging = async (replies: Record<string, Reply>, exchange: Reply) => {
    const asked: string[] = [];
    const portal = await start({
      generateToken: (seen, response) => {
        const serverUrl = seen.form.get('serverUrl');
        if (serverUrl === null)
          return json({ token: 'portal-token', expires: Date.now() + 60_000 })(seen, response);
        asked.push(serverUrl);
        return exchange(seen, response);
      },
      ...replies,
    });
    return { portal, asked };
  };
  const given = json({ token: 'server-token', expires: Date.now() + 60_000 });
  const noServers = portalError(403, 'You do not have permissions to access this resource.');

  it('goes to a server that the portal lists as its own', async () => {
    const server = await start({ [SERVICE]: json({ count: 7 }) });
    const { portal, asked } = await exchanging(
      {
        'portals/self': json({ id: 'p' }),
        'portals/p/servers': json({ servers: [{ url: `${new URL(server.url).origin}${SERVER_ROOT}` }] }),
      },
      given,
    );
    const client = portal.client();
    expect(await countFeatures(client, serviceOn(server), 0)).toBe(7);
    expect(await countFeatures(client, serviceOn(server), 0)).toBe(7);
    expect(server.seen.map(bearerOf)).toEqual(['portal-token', 'portal-token']);
    expect(asked).toEqual([]);
    expect(portal.at('portals/p/servers')).toHaveLength(1);
  });

  it('is swapped, once, for the token of a server that the portal only mentions', async () => {
    const server = await start({ [SERVICE]: json({ count: 7 }) });
    const helper = {
      analysis: { url: `${new URL(server.url).origin}${SERVER_ROOT}/rest/services/Tools/GPServer` },
    };
    const { portal, asked } = await exchanging(
      { 'portals/self': json({ id: 'p', helperServices: helper }), 'portals/p/servers': noServers },
      given,
    );
    const client = portal.client();
    await countFeatures(client, serviceOn(server), 0);
    await countFeatures(client, serviceOn(server), 0);
    expect(server.seen.map(bearerOf)).toEqual(['server-token', 'server-token']);
    expect(asked).toHaveLength(1);
  });

  it.each<[string, object, Reply]>([
    ['that the portal does not know', {}, given],
    [
      'that it mentions and gives no token for',
      { mentioned: true },
      portalError(400, 'Unable to generate token.'),
    ],
    [
      'for which it hands back its own',
      { mentioned: true },
      json({ token: 'portal-token', expires: Date.now() + 60_000 }),
    ],
  ])('never goes to a server %s', async (_title, { mentioned }: { mentioned?: boolean }, exchange) => {
    const server = await start({ [SERVICE]: json({ count: 7 }) });
    const helperServices = mentioned ? { geometry: { url: serviceOn(server) } } : {};
    const { portal } = await exchanging(
      { 'portals/self': json({ id: 'p', helperServices }), 'portals/p/servers': noServers },
      exchange,
    );
    expect(await failureOf(countFeatures(portal.client(), serviceOn(server), 0))).toMatchObject({
      code: 'PERMISSION_DENIED',
      message: `${new URL(server.url).host} is no server of staging, so no token is sent there.`,
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
