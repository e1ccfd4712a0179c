import { afterEach, describe, expect, it } from '@jest/globals';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../../src/portal/resources/category-schema';
import { readSettings, writeSettings } from '../../../src/portal/resources/settings';
import { updateTaskRun } from '../../../src/portal/resources/tasks';
import { releaseFrom } from '../../../src/portal/http/versions';
import { failureOf, inTurn, json, portalError, portalsOf } from '../raw-portal';

const start = portalsOf(afterEach);

const success = json({ success: true });

describe('settings', () => {
  const notice = { title: 'Hello', text: 'Read this', buttons: 'acceptAndDecline', enabled: true } as const;
  const banner = { text: 'Soon', bgColor: 'red', fontColor: '#fff', enabled: false };

  it('are sent as one JSON field each, and what is not set not at all', async () => {
    const portal = await start({ 'portals/p/settings/update': success });
    const objects = {
      anonymousAccessNotice: notice,
      informationalBanner: banner,
      portalConfigProperties: { tokenExpiration: 60, iotViewerUrl: 'https://iot.example.com' },
    };
    await writeSettings(portal.client(), 'p', objects, { version: releaseFrom('11.1') });
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
      { portalConfigProperties: properties },
      { version: releaseFrom('10.9.1') },
      'staging accepts portalConfigProperties only from version 11.0.',
    ],
    [
      'the address of the streaming application below 11.1',
      { portalConfigProperties: viewer },
      { version: releaseFrom('11.0') },
      'staging accepts iotViewerUrl only from version 11.1.',
    ],
    [
      'advanced properties of the hosted deployment',
      { portalConfigProperties: properties },
      { version: releaseFrom('11.4'), isPortal: false },
      'staging is ArcGIS Online, which has no portalConfigProperties.',
    ],
    [
      'a notice to those signed in of a self-managed portal',
      { authenticatedAccessNotice: notice },
      { version: releaseFrom('11.4'), isPortal: true },
      'staging is ArcGIS Enterprise; only ArcGIS Online has authenticatedAccessNotice.',
    ],
  ])('are refused where a portal would ignore them: %s', async (_title, objects, holder, message) => {
    const portal = await start({ 'portals/p/settings/update': success });
    expect(await failureOf(writeSettings(portal.client(), 'p', objects, holder))).toMatchObject({
      code: 'NOT_SUPPORTED',
      message,
    });
    expect(portal.seen).toHaveLength(0);
  });

  it('are sent to a portal that does not say how it is deployed', async () => {
    const portal = await start({ 'portals/p/settings/update': success });
    const objects = { authenticatedAccessNotice: notice, portalConfigProperties: properties };
    await writeSettings(portal.client(), 'p', objects, { version: releaseFrom('11.0') });
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
