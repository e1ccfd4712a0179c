import { afterEach, describe, expect, it } from '@jest/globals';
import type { Portal } from '../../../src/portal/client';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { importGroup, previewImport } from '../../../src/portal/resources/group-import';
import { classifyJobStatus, readJob } from '../../../src/portal/resources/jobs';
import { releaseFrom } from '../../../src/portal/http/versions';
import { codeOf, failureOf, json, portalError, RawPortal, type Seen, words } from '../raw-portal';

let portal: RawPortal;
afterEach(() => portal.stop());

const EXPORT = 'community/groups/g/export';
const IMPORT = 'community/groups/g/import';
const PREVIEW = 'community/groups/g/importPreview/pkg';

/** The fields of a multipart body, in order. */
function fieldsOf(seen: Seen | undefined): Record<string, string> {
  const pattern = /name="([^"]+)"\r\n\r\n([\s\S]*?)\r\n--/g;
  return Object.fromEntries(
    [...(seen?.body.toString() ?? '').matchAll(pattern)].map((m) => [m[1] ?? '', m[2] ?? '']),
  );
}

describe('an export', () => {
  const start = (client: Portal, release: string, more = {}) =>
    exportGroup(client, 'g', { async: true, version: releaseFrom(release), ...more });
  const wish = {
    itemIdList: ['a', 'b'],
    outputFilename: 'run-1',
    exportContentFolderId: 'f1',
  };

  it('sends every parameter that the release knows, and no empty one', async () => {
    portal = await RawPortal.start({ [EXPORT]: json({ jobId: 'j1', key: 'k1' }) });
    await start(portal.client(), '11.4', wish);
    await start(portal.client(), '10.8.1', wish);
    await start(portal.client(), '11.3', { outputFilename: 'x', itemIdList: [] });
    await start(portal.client(), '11.4', { outputFilename: '' });
    expect(portal.at(EXPORT).map(fieldsOf)).toEqual([
      {
        itemIdList: 'a,b',
        outputFilename: 'run-1',
        exportContentFolderId: 'f1',
        async: 'true',
        previewOnly: 'false',
        f: 'json',
      },
      { itemIdList: 'a,b', async: 'true', f: 'json' },
      { outputFilename: 'x', async: 'true', f: 'json' },
      { async: 'true', previewOnly: 'false', f: 'json' },
    ]);
  });

  it.each([
    ['a job', { jobId: 7, key: 'k' }, { kind: 'job', jobId: '7', key: 'k' }],
    ['a job without a key', { jobId: 'j', key: null }, { kind: 'job', jobId: 'j' }],
    [
      'lists, since nothing can be exported',
      { itemsExported: [], itemsSkipped: [], itemsFailedExport: [] },
      { kind: 'lists', done: [], skipped: [], failed: [] },
    ],
    [
      'lists inside a result, with entries as strings and objects',
      {
        result: {
          itemsExported: [{ itemId: 'i1' }],
          itemsSkipped: ['i2', { id: 'i3', reason: 'Not supported.' }],
          itemsFailedExport: [
            { itemId: 'i4', error: { message: 'No data.' } },
            'Item 0123456789abcdef0123456789abcdef is broken.',
          ],
        },
      },
      {
        kind: 'lists',
        done: [{ itemId: 'i1', raw: { itemId: 'i1' } }],
        skipped: [
          { itemId: 'i2', raw: 'i2' },
          { itemId: 'i3', reason: 'Not supported.', raw: { id: 'i3', reason: 'Not supported.' } },
        ],
        failed: [
          { itemId: 'i4', reason: 'No data.', raw: { itemId: 'i4', error: { message: 'No data.' } } },
          {
            itemId: '0123456789abcdef0123456789abcdef',
            reason: 'Item 0123456789abcdef0123456789abcdef is broken.',
            raw: 'Item 0123456789abcdef0123456789abcdef is broken.',
          },
        ],
      },
    ],
    ['the package item', { success: true, itemId: 'pkg' }, { kind: 'package', itemId: 'pkg' }],
  ])('starts with %s', async (_title, answer, outcome) => {
    portal = await RawPortal.start({ [EXPORT]: json(answer) });
    expect(await start(portal.client(), '11.2')).toEqual(outcome);
  });
});

describe('an import', () => {
  const wish = {
    itemId: 'pkg',
    itemIdList: ['a'],
    overwriteExistingItems: false,
    async: true,
    folderId: 'f1',
    folderOwnerUsername: 'owner',
    keepPackageItemAfterImport: true,
  };

  it('sends its switches, and each parameter that the release knows', async () => {
    portal = await RawPortal.start({ [IMPORT]: json({ jobId: 'j', key: 'k' }) });
    const client = portal.client();
    for (const release of ['11.4', '11.3', '10.9', '10.8.1']) {
      await importGroup(client, 'g', { ...wish, version: releaseFrom(release) });
    }
    const base = {
      itemId: 'pkg',
      itemIdList: 'a',
      previewOnly: 'false',
      overwriteExistingItems: 'false',
      async: 'true',
      f: 'json',
    };
    const folder = { folderId: 'f1', folderOwnerUsername: 'owner' };
    const keep = { keepPackageItemAfterImport: 'true' };
    expect(portal.at(IMPORT).map(fieldsOf)).toEqual([
      { ...base, ...folder, ...keep },
      { ...base, ...folder, ...keep },
      { ...base, ...folder },
      base,
    ]);
  });

  it('names the root folder from 11.4 on', async () => {
    portal = await RawPortal.start({ [IMPORT]: json({ jobId: 'j', key: 'k' }) });
    for (const release of ['11.4', '11.3'])
      await importGroup(portal.client(), 'g', { ...wish, folderId: '/', version: releaseFrom(release) });
    expect(portal.at(IMPORT).map((seen) => fieldsOf(seen)['folderId'])).toEqual(['/', undefined]);
  });

  it('returns its lists when the portal answers at once', async () => {
    portal = await RawPortal.start({
      [IMPORT]: json({
        result: { itemsImported: [{ itemId: 'a' }], itemsSkipped: null, itemsFailedImport: ['b'] },
      }),
    });
    expect(await importGroup(portal.client(), 'g', { ...wish, version: undefined })).toEqual({
      kind: 'lists',
      done: [{ itemId: 'a', raw: { itemId: 'a' } }],
      skipped: [],
      failed: [{ itemId: 'b', raw: 'b' }],
    });
  });
});

describe('the preview of an import', () => {
  const request = { itemId: 'pkg', overwriteExistingItems: true, version: releaseFrom('11.4') };
  const rows = (start: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `i${start + index}`,
      type: 'PDF',
      exists: false,
      canImport: 'true',
    }));
  const record = {
    packageSummary: { id: 'pkg' },
    total: 2,
    start: 1,
    num: 2,
    nextStart: -1,
    results: rows(1, 2),
  };

  it('is a started import when the portal answers lists', async () => {
    portal = await RawPortal.start({ [IMPORT]: json({ result: { itemsImported: [] } }) });
    const started = { kind: 'lists', done: [], skipped: [], failed: [] };
    expect(await previewImport(portal.client(), 'g', request)).toEqual({ kind: 'started', started });
  });

  it.each([
    ['an empty object', json({ success: true })],
    ['nothing', words('')],
    ['text', words('OK')],
  ])('is read from its own address when the portal answers %s', async (_title, reply) => {
    portal = await RawPortal.start({ [IMPORT]: reply, [PREVIEW]: json(record) });
    expect(await previewImport(portal.client(), 'g', request)).toMatchObject({
      kind: 'preview',
      preview: { total: 2 },
    });
    expect(Object.fromEntries(portal.at(PREVIEW)[0]?.query ?? [])).toEqual({
      start: '1',
      num: '100',
      f: 'json',
    });
  });

  it('is requested once when the portal answers a page', async () => {
    portal = await RawPortal.start({ [IMPORT]: words('<html><title>Import</title></html>') });
    expect(await codeOf(previewImport(portal.client(), 'g', request))).toBe('HTML_RESPONSE');
    expect(portal.at(IMPORT)).toHaveLength(1);
  });
});

describe('a job', () => {
  it.each([
    ['succeeded', 'succeeded'],
    ['esriJobSucceeded', 'running'],
    ['failed', 'failed'],
    ['timedOut', 'failed'],
    ['Cancelled', 'failed'],
    ['processing', 'running'],
    ['cancelling', 'running'],
    ['something new', 'running'],
    [undefined, 'running'],
  ])('reads the status %s as %s', (word, phase) => {
    expect(classifyJobStatus(word)).toBe(phase);
  });

  it('is looked up under `self` when the portal ID knows none', async () => {
    portal = await RawPortal.start({
      'portals/P1/jobs/j': portalError(404, 'Resource does not exist or is inaccessible.'),
      'portals/self/jobs/j': json({ id: 'j', status: 'completed' }),
    });
    expect(await readJob(portal.client(), 'P1', 'j', {})).toMatchObject({ phase: 'succeeded' });
  });

  it('is a record when it failed with a code', async () => {
    const record = { id: 'j', status: 'failed', code: 500, messages: ['No space.'] };
    portal = await RawPortal.start({ 'portals/P1/jobs/j': json(record) });
    expect(await readJob(portal.client(), 'P1', 'j', {})).toMatchObject({
      phase: 'failed',
      messages: ['No space.'],
    });
  });

  it('keeps its key out of the portal message', async () => {
    portal = await RawPortal.start({
      'portals/P1/jobs/j': portalError(403, 'The key 5ecret-key is not valid.'),
    });
    const failure = await failureOf(readJob(portal.client(), 'P1', 'j', { key: '5ecret-key' }));
    expect(failure).toMatchObject({
      code: 'PERMISSION_DENIED',
      message: 'staging answered job.read: The key *** is not valid.',
    });
  });
});
