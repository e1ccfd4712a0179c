import { afterEach, expect, it } from '@jest/globals';
import { countHostedLayers, lastEdit } from '../../../src/domain/transfer/layers';
import { hosting, json, portalsOf } from '../../portal/raw-portal';

const service = '/server/rest/services/Roads/FeatureServer';
const startPortal = portalsOf(afterEach);

it('a hosted service with a layer without an id has no row count and no last edit', async () => {
  const portal = await startPortal({
    ...hosting,
    [service]: json({ layers: [{ id: 0, name: 'Roads' }, { name: 'Stops' }], tables: [] }),
    [`${service}/0`]: json({ id: 0, editingInfo: { lastEditDate: 1 } }),
    [`${service}/0/query`]: json({ count: 3 }),
  });
  const url = `${new URL(portal.url).origin}${service}`;
  const item = { id: 'a', type: 'Feature Service', typeKeywords: ['Hosted Service'], url };
  expect(await countHostedLayers(portal.client(), item)).toBeUndefined();
  expect(await lastEdit(portal.client(), item)).toBeNull();
});
