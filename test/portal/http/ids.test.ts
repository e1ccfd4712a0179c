import { afterEach, describe, expect, it } from '@jest/globals';
import type { Portal } from '../../../src/portal/client';
import { listFolders } from '../../../src/portal/resources/folders';
import { exportGroup } from '../../../src/portal/resources/group-export';
import { importGroup, previewImport } from '../../../src/portal/resources/group-import';
import { listGroup, readGroup } from '../../../src/portal/resources/groups';
import { readPreviewPage } from '../../../src/portal/resources/import-preview';
import { addItem } from '../../../src/portal/resources/items/add-item';
import { readItem, readItemGroups } from '../../../src/portal/resources/items/items';
import { readSelf } from '../../../src/portal/resources/portals';
import { readTaskRuns } from '../../../src/portal/resources/tasks';
import { failureOf, json, portalsOf } from '../raw-portal';

const startPortal = portalsOf(afterEach);
const version = { major: 11, minor: 4, patch: 0, text: '11.4' };
const signal = new AbortController().signal;

/** Where a portal answers an id, what it answers around one, and who reads it. */
const places: Record<
  string,
  [path: string, answer: (id: string) => unknown, read: (portal: Portal) => Promise<unknown>]
> = {
  'an item': ['content/items/a', (id) => ({ id }), (portal) => readItem(portal, 'a')],
  'an item in a listing': [
    'content/groups/g',
    (id) => ({ items: [{ id: 'good' }, { id }], nextStart: -1 }),
    (portal) => listGroup(portal, 'g', signal),
  ],
  "an item's folder": [
    'content/items/a',
    (id) => ({ id: 'a', ownerFolder: id }),
    (portal) => readItem(portal, 'a'),
  ],
  "an item's group": [
    'content/items/a/groups',
    (id) => ({ other: [{ id }] }),
    (portal) => readItemGroups(portal, 'a'),
  ],
  'a folder in a listing': [
    'content/users/u',
    (id) => ({ items: [], folders: [{ id, title: 'f' }], nextStart: -1 }),
    (portal) => listFolders(portal, 'u'),
  ],
  'a group': ['community/groups/g', (id) => ({ id }), (portal) => readGroup(portal, 'g')],
  'a new item': [
    'content/users/u/addItem',
    (id) => ({ success: true, id }),
    (portal) => addItem(portal, { username: 'u', params: {} }),
  ],
  'an export job': [
    'community/groups/g/export',
    (jobId) => ({ jobId, key: 'k' }),
    (portal) => exportGroup(portal, 'g', { async: true, version }),
  ],
  "an export's package": [
    'community/groups/g/export',
    (itemId) => ({ itemId }),
    (portal) => exportGroup(portal, 'g', { async: true, version }),
  ],
  'an imported item': [
    'community/groups/g/import',
    (itemId) => ({ itemsImported: [{ itemId }], itemsSkipped: [], itemsFailedImport: [] }),
    (portal) =>
      importGroup(portal, 'g', { itemId: 'p', overwriteExistingItems: false, async: true, version }),
  ],
  "a preview's item": [
    'community/groups/g/importPreview/p',
    (id) => ({ results: [{ id }], nextStart: -1 }),
    (portal) => readPreviewPage(portal, 'g', 'p', {}),
  ],
  "a preview's item, in the answer that asks for it": [
    'community/groups/g/import',
    (id) => ({ packageSummary: { id: 'p' }, results: [{ id }] }),
    (portal) => previewImport(portal, 'g', { itemId: 'p', overwriteExistingItems: false, version }),
  ],
  'a run of a task': [
    'community/users/u/tasks/t/runs',
    (runId) => ({ runs: [{ runId }] }),
    (portal) => readTaskRuns(portal, { username: 'u', taskId: 't' }),
  ],
  'the portal itself': [
    'portals/self',
    (id) => ({ id, enterpriseVersion: '11.4' }),
    (portal) => readSelf(portal),
  ],
};

/** Values that are no ids, and how an error shows them. */
const odd: [value: string, shown: string][] = [
  ['../../../etc/passwd', '"../../../etc/passwd"'],
  ['..', '".."'],
  ['a/b', '"a/b"'],
  ['a\\b', '"a\\\\b"'],
  ['\u001b]0;owned\u0007', '"\\u001b]0;owned\\u0007"'],
  ['a\u202eb', '"a\\u202eb"'],
  ['a,b', '"a,b"'],
  ['x'.repeat(5_000), `"${'x'.repeat(60)}… (5000 characters)"`],
];

describe('an ID from a portal', () => {
  it.each(Object.entries(places))(
    'is refused as %s when it is a path, invisible or too long [P16]',
    async (_, place) => {
      const [path, answer, read] = place;
      let id = '';
      const portal = await startPortal({
        [path]: (seen, response) => json(answer(id))(seen, response),
      });
      const client = portal.client();
      for (const [value, shown] of odd) {
        id = value;
        const failure = await failureOf(read(client));
        expect(failure).toMatchObject({ code: 'ID_REFUSED', facts: { portal: 'staging' } });
        expect(failure['message']).toMatch(
          /^staging answered \S+ with an invalid value for an? [a-z ]+ ID: /,
        );
        expect(String(failure['message']).endsWith(`: ${shown}.`)).toBe(true);
      }
    },
  );

  it.each([
    '0123456789abcdef0123456789abcdef',
    '6F9619FF-8B86-D011-B42D-00CF4FC964FF',
    'jobs_2026.11.22@host-1',
    'a',
    '7',
  ])('is accepted as %s', async (id) => {
    const portal = await startPortal({ 'content/items/a': json({ id }) });
    expect(await readItem(portal.client(), 'a')).toEqual({ id });
  });
});

describe('a user name from a portal', () => {
  it.each(['sync', 'jane.doe@example.com', 'Zoë Müller+gis', "o'neil (GIS)"])(
    'is accepted as %s',
    async (owner) => {
      const portal = await startPortal({ 'content/items/a': json({ id: 'a', owner }) });
      expect(await readItem(portal.client(), 'a')).toEqual({ id: 'a', owner });
    },
  );

  it.each([
    ['..', '".."'],
    ['a/../b', '"a/../b"'],
    ['a\nb', '"a\\nb"'],
    ['u'.repeat(129), `"${'u'.repeat(60)}… (129 characters)"`],
  ])('is refused as %j', async (owner, shown) => {
    const portal = await startPortal({ 'content/items/a': json({ id: 'a', owner }) });
    expect(await failureOf(readItem(portal.client(), 'a'))).toEqual({
      code: 'ID_REFUSED',
      message: `staging answered item.read with an invalid value for a user name: ${shown}.`,
      facts: { portal: 'staging', operation: 'item.read' },
    });
  });
});
