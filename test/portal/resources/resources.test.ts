import { afterEach, describe, expect, it } from '@jest/globals';
import { readItemResourceText } from '../../../src/portal/resources/items/item-files';
import { readCategorySchema } from '../../../src/portal/resources/category-schema';
import { createFolder } from '../../../src/portal/resources/folders';
import { deleteItem, findItem, readItem } from '../../../src/portal/resources/items/items';
import { updateItem } from '../../../src/portal/resources/items/update-item';
import { countFeatures } from '../../../src/portal/resources/layers';
import { readContentDisk } from '../../../src/portal/resources/machines';
import { readSelf } from '../../../src/portal/resources/portals';
import { anyObject } from '../../../src/portal/http/reading';
import { releaseFrom, releaseOf } from '../../../src/portal/http/versions';
import {
  bearerOf,
  codeOf,
  failureOf,
  inTurn,
  json,
  portalError,
  portalsOf,
  type RawPortal,
  type Reply,
  words,
} from '../raw-portal';

const start = portalsOf(afterEach);

const success = json({ success: true });

describe('a folder', () => {
  it.each([
    ['A', 'A', "Unable to create folder. A folder named 'A' exists.", []],
    ['roads', 'Roads', 'Unable to create folder.', ["Folder title 'roads' not available."]],
  ])('is the existing one when %s is taken by %s', async (title, existing, message, details) => {
    const portal = await start({
      'content/users/o/createFolder': portalError(400, message, { details }),
      'content/users/o': json({ items: [], folders: [{ id: 'f1', title: existing }], nextStart: -1 }),
    });
    expect(await createFolder(portal.client(), { username: 'o', title })).toMatchObject({
      created: false,
      folder: { id: 'f1' },
    });
  });

  it('is an error when it cannot be created for another reason', async () => {
    const portal = await start({
      'content/users/o/createFolder': portalError(400, 'Quota.'),
      'content/users/o': json({ items: [{ id: 'i' }], folders: [], nextStart: -1 }),
    });
    expect(await codeOf(createFolder(portal.client(), { username: 'o', title: 'A' }))).toBe('BAD_REQUEST');
  });
});

describe('an item', () => {
  it('is absent when a deletion finds it gone', async () => {
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

  it('is absent when this account may not read it', async () => {
    const words = 'You do not have permissions to access this resource or perform this operation.';
    const portal = await start({ 'content/items/i': portalError(403, words) });
    expect(await findItem(portal.client(), 'i')).toBeUndefined();
    expect(await codeOf(readItem(portal.client(), 'i'))).toBe('PERMISSION_DENIED');
  });

  it('sends its tags in one field', async () => {
    const portal = await start({ 'content/users/o/f/items/i/update': success });
    await updateItem(portal.client(), {
      owner: 'o',
      itemId: 'i',
      folderId: 'f',
      fields: { tags: ['a', 'b'] },
    });
    expect(String(portal.at('content/users/o/f/items/i/update')[0]?.body)).toContain(
      'name="tags"\r\n\r\na,b\r\n',
    );
  });

  it('is not requested under an ID that changes the path', async () => {
    const portal = await start({});
    const resource = readItemResourceText(portal.client(), 'i', '../x', { maxBytes: 10 });
    expect(await codeOf(resource)).toBe('BAD_REQUEST');
    expect(await codeOf(readItem(portal.client(), '..'))).toBe('BAD_REQUEST');
    expect(portal.seen).toHaveLength(0);
  });
});

describe('a category schema', () => {
  it.each([[[]], [{}], [{ categorySchema: null }], [{ categorySchema: {} }]])(
    'is empty when the portal answers %j',
    async (answer) => {
      const portal = await start({ 'portals/p/categorySchema': json(answer) });
      expect(await readCategorySchema(portal.client(), 'p')).toEqual([]);
    },
  );

  it('is an error when one category cannot be read', async () => {
    const categorySchema = [{ title: 'Roads', categories: [{ title: null }] }];
    const portal = await start({ 'portals/p/categorySchema': json({ categorySchema }) });
    expect(await codeOf(readCategorySchema(portal.client(), 'p'))).toBe('BAD_RESPONSE');
  });
});

describe('the portal itself', () => {
  it('reports its version at the root when its record has none', async () => {
    const portal = await start({
      'portals/self': json({ id: 'p', user: null }),
      '': json({ currentVersion: '10.3' }),
    });
    expect(await readSelf(portal.client())).toMatchObject({ id: 'p', currentVersion: '10.3' });
  });

  it('reports its release at the root when its record has an interface number', async () => {
    const portal = await start({
      'portals/self': json({ id: 'p', currentVersion: '2025.1' }),
      '': json({ currentVersion: '2025.1', enterpriseVersion: '12.0.0' }),
    });
    expect(releaseOf(await readSelf(portal.client()))?.text).toBe('12.0');
  });

  it('has the release of its number when the root does not answer', async () => {
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
    ['other name, as text', usage('7.5', { type: 'CONTENT_DIR' }), { usableGB: 7.5, where: 'M1: content' }],
    [
      'path alone',
      usage(1, { path: 'D:\\arcgisportal\\content' }),
      { usableGB: 1, where: 'M1: D:\\arcgisportal\\content' },
    ],
  ])('is found by its %s', async (_title, content, disk) => {
    const localDiskUsage = [usage(500, { directoryType: 'logs', path: '/logs' }), content];
    expect(await diskOf(json({ localDiskUsage }))).toEqual(disk);
  });

  const machines = json({ machines: [{ machineName: 'M1' }] });
  it.each<[string, Reply, Reply]>([
    ['when no directory is named', json({ localDiskUsage: [usage(5, { mount: 'N/A' })] }), machines],
    [
      'without the right',
      json({ status: 'error', messages: ['You do not have permissions.'], code: 403 }),
      machines,
    ],
    ['when a web server hides it', json({}), words('<html></html>', 404)],
  ])('is unknown %s', async (_title, hardware, machines) => {
    expect(await diskOf(hardware, machines)).toBeUndefined();
  });

  it('is not requested below 11.3', async () => {
    const portal = await start({});
    expect(await readContentDisk(portal.client(), { version: releaseFrom('11.2') })).toBeUndefined();
    expect(portal.seen).toHaveLength(0);
  });

  it.each([
    ['refuses the token', portalError(498, 'Invalid token.')],
    ['shows a page', words('<html><title>Sign in</title></html>')],
  ])('costs no new sign-in when the administration %s', async (_title, answer) => {
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

  it('is exchanged once for a server that the portal only mentions', async () => {
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
    ['unknown to the portal', {}, given],
    ['without a token of its own', { mentioned: true }, portalError(400, 'Unable to generate token.')],
    [
      "with the portal's own token",
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
      message: `${new URL(server.url).host} is not a server of staging, so it gets no token.`,
    });
    expect(server.seen).toHaveLength(0);
  });

  it('is in the body of a POST to the administration', async () => {
    const portal = await start({ '/portal/portaladmin/x': success });
    await portal
      .client()
      .call({ operation: 'x', method: 'POST', below: 'admin', path: 'x', schema: anyObject });
    const [seen] = portal.at('/portal/portaladmin/x');
    expect([seen?.form.get('token'), seen && bearerOf(seen)]).toEqual(['token-not-to-be-seen-1', undefined]);
  });
});
