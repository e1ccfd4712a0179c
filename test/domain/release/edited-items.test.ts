import { aFolder } from '../../support/folder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ItemsAsLeft } from '../../../src/domain/release/edited-items';
import { keys } from '../../../src/store/keys';
import { LocalStore } from '../../../src/store/local/local-store';
import { json, RawPortal } from '../../portal/raw-portal';

const folder = aFolder();

const service = '/server/rest/services/Roads/FeatureServer';

describe('a service that a run has overwritten', () => {
  let raw: RawPortal;
  let layers: object[] = [];
  beforeAll(async () => {
    raw = await RawPortal.start({
      'portals/self': json({ id: 'p' }),
      'portals/p/servers': (seen, response) =>
        json({ servers: [{ url: `${new URL(raw.url).origin}/server` }] })(seen, response),
      'content/items/a': (seen, response) =>
        json({
          id: 'a',
          type: 'Feature Service',
          typeKeywords: ['Hosted Service'],
          modified: 5,
          url: `${new URL(raw.url).origin}${service}`,
        })(seen, response),
      [service]: (seen, response) => json({ layers, tables: [] })(seen, response),
      [`${service}/0`]: json({ id: 0, editingInfo: { lastEditDate: 7 } }),
    });
  });
  afterAll(async () => {
    await raw.stop();
  });

  it.each([
    ['is unedited if its last edit is the same', [{ id: 0 }], 7, undefined],
    ['is edited if its last edit is another', [{ id: 0 }], 6, 'a'],
    ['counts as edited if a layer has lost its id', [{ id: 0 }, { name: 'Stops' }], 7, 'a'],
    ['is unedited if its last edit was never told', [{ id: 0 }], null, undefined],
  ])('%s', async (_what, now, edited, found) => {
    layers = now;
    const store = new LocalStore(folder);
    await store.writeJson(keys.left('run'), { items: { a: { modified: 5, edited } } });
    const left = await ItemsAsLeft.of('run', { store, portal: raw.client() });
    expect((await left.edited('a'))?.id).toBe(found);
  });
});
