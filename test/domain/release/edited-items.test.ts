import { aFolder } from '../../support/folder';
import { afterEach, expect, it } from '@jest/globals';
import { ItemsAsLeft } from '../../../src/domain/release/edited-items';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import { hosting, json, jsonAt, portalsOf } from '../../portal/raw-portal';

const startPortal = portalsOf(afterEach);
const service = '/server/rest/services/Roads/FeatureServer';

it.each([
  ['is unedited if its last edit is the same', [{ id: 0 }], 7, undefined],
  ['is edited if its last edit is another', [{ id: 0 }], 6, 'a'],
  ['counts as edited if a layer has lost its id', [{ id: 0 }, { name: 'Stops' }], 7, 'a'],
  ['is unedited if its last edit was never told', [{ id: 0 }], null, undefined],
])('a service that a run has overwritten %s', async (_what, layers, edited, found) => {
  const portal = await startPortal({
    ...hosting,
    'content/items/a': jsonAt((origin) => ({
      id: 'a',
      type: 'Feature Service',
      typeKeywords: ['Hosted Service'],
      modified: 5,
      url: `${origin}${service}`,
    })),
    [service]: json({ layers, tables: [] }),
    [`${service}/0`]: json({ id: 0, editingInfo: { lastEditDate: 7 } }),
  });
  const store = new LocalStore(aFolder());
  await store.writeJson(keys.left('run'), { items: { a: { modified: 5, edited } } });
  const left = await ItemsAsLeft.of('run', { store, portal: portal.client() });
  expect((await left.edited('a'))?.id).toBe(found);
});
