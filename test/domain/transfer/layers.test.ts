import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countHostedLayers, lastEdit } from '../../../src/domain/transfer/layers';
import { json, RawPortal } from '../../portal/raw-portal';

const service = '/server/rest/services/Roads/FeatureServer';

describe('a hosted service that lists a layer without an id', () => {
  let raw: RawPortal;
  beforeAll(async () => {
    raw = await RawPortal.start({
      'portals/self': json({ id: 'p' }),
      'portals/p/servers': (seen, response) =>
        json({ servers: [{ url: `${new URL(raw.url).origin}/server` }] })(seen, response),
      [service]: json({ layers: [{ id: 0, name: 'Roads' }, { name: 'Stops' }], tables: [] }),
      [`${service}/0`]: json({ id: 0, editingInfo: { lastEditDate: 1 } }),
      [`${service}/0/query`]: json({ count: 3 }),
    });
  });
  afterAll(() => raw.stop());

  const item = () => ({
    id: 'a',
    type: 'Feature Service',
    typeKeywords: ['Hosted Service'],
    url: `${new URL(raw.url).origin}${service}`,
  });

  it('is not counted', async () => {
    expect(await countHostedLayers(raw.client(), item())).toBeUndefined();
  });

  it('has no known last edit', async () => {
    expect(await lastEdit(raw.client(), item())).toBeNull();
  });
});
