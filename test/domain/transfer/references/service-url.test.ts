import { describe, expect, it } from '@jest/globals';
import { itemIdInAddress, serviceAddress } from '../../../../src/domain/transfer/references/addresses';

const root = 'https://a.example.com/server/rest/services/Hosted/Roads/FeatureServer';
const id = 'c0ffee00c0ffee00c0ffee00c0ffee00';

describe('addresses of services', () => {
  it.each([
    [root, { root }],
    [`${root}/3`, { root, layerId: 3 }],
    [`${root}/3/query?where=1=1`, { root, layerId: 3 }],
    [`${root}?f=json`, { root }],
    ['https://a.example.com/portal/home', undefined],
    ['https://a.example.com/MapServerPlans/index.html', undefined],
  ])('are taken apart: %s', (address, expected) => {
    expect(serviceAddress(address)).toEqual(expected);
  });

  it.each([
    `https://a.example.com/portal/sharing/rest/content/items/${id}/data`,
    `https://a.example.com/portal/home/item.html?id=${id}`,
    `https://a.example.com/portal/apps/instant/sidebar/index.html?appid=${id}&locale=en`,
    `https://a.example.com/portal/apps/mapviewer/index.html?webmap=${id}`,
    `https://a.example.com/portal/apps/dashboards/${id}#mode=edit`,
    `https://a.example.com/portal/apps/experiencebuilder/experience/${id}`,
  ])('and of the portal name an item: %s', (address) => {
    expect(itemIdInAddress(address)).toBe(id);
  });

  it('name no item where there is none', () => {
    expect(itemIdInAddress(`https://a.example.com/portal/${id}.png`)).toBeUndefined();
  });
});
