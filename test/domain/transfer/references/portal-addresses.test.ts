import { describe, expect, it } from '@jest/globals';
import {
  isAddress,
  portalAddresses,
  portalAddress,
  addressText,
  routeAddresses,
  ownerOf,
} from '../../../../src/domain/transfer/references/addresses';

const text = (address: string) => {
  const portal = portalAddress(address);
  return portal && addressText(portal);
};

describe('addresses of portals', () => {
  it.each([
    ['https://Staging.example.com/Portal/sharing/rest', 'staging.example.com/portal'],
    ['http://staging.example.com:80/portal/', 'staging.example.com/portal'],
    ['https://staging.example.com:443/portal/home/item.html?id=1', 'staging.example.com/portal'],
    ['//staging.example.com/server/rest/services/A/MapServer/3', 'staging.example.com/server'],
    ['staging.example.com/portal', 'staging.example.com/portal'],
    ['https://staging.example.com:7443/arcgis/sharing/rest', 'staging.example.com:7443/arcgis'],
    ['https://staging.example.com/sharing/rest', 'staging.example.com'],
    ['staging.example.com', 'staging.example.com'],
    ['http://127.0.0.1:4801/portal/sharing/rest', 'localhost:4801/portal'],
    ['https://tiles.example.com/tiles/{level}/{row}/{col}', 'tiles.example.com/tiles'],
  ])('reads %s as %s', (address, expected) => {
    expect(text(address)).toBe(expected);
  });

  it.each(['', '   ', 'not an address', 'https://'])('reads nothing in %p', (address) => {
    expect(portalAddress(address)).toBeUndefined();
  });

  it('leaves the public cloud out, which no self-managed portal owns', () => {
    expect(
      portalAddresses(['https://www.arcgis.com/sharing/rest', 'maps.arcgis.com', 'gis.example.com/portal']),
    ).toEqual(['gis.example.com/portal']);
  });

  it('gives what both ends know to the target', () => {
    const shared = 'https://files.example.com/shared';
    const addresses = routeAddresses(
      ['https://a.example.com/portal', shared],
      ['https://b.example.com/portal', shared],
    );
    expect(addresses).toEqual({
      source: ['a.example.com/portal'],
      target: ['b.example.com/portal', 'files.example.com/shared'],
    });
  });

  it("takes a hosted service's address seen on both ends for the source's", () => {
    const addresses = routeAddresses(['https://a.example.com/portal'], ['https://b.example.com/portal'], {
      source: ['https://a.example.com/server/rest/services/Hosted/Roads/FeatureServer'],
      target: [
        'https://a.example.com/server/rest/services/Hosted/Roads/FeatureServer',
        'https://b.example.com/server/rest/services/Hosted/Stops/FeatureServer',
      ],
    });
    expect(addresses).toEqual({
      source: ['a.example.com/portal', 'a.example.com/server'],
      target: ['b.example.com/portal', 'b.example.com/server'],
    });
  });

  it('tells two portals behind one host apart', () => {
    const addresses = routeAddresses(
      ['https://gis.example.com/staging/sharing/rest', 'gis.example.com'],
      ['https://gis.example.com/production/sharing/rest', 'gis.example.com/hosting'],
    );
    for (const [owner, ...owned] of [
      ['source', 'https://gis.example.com/staging/home', 'https://gis.example.com/elsewhere'],
      ['target', 'https://gis.example.com/production/home', 'https://gis.example.com/hosting/rest/services'],
      ['foreign', 'https://other.example.com/staging'],
    ])
      for (const address of owned) expect([address, ownerOf(address, addresses)]).toEqual([address, owner]);
  });

  it('knows an address from other text', () => {
    expect(['https://a.example.com/x', '//a.example.com', ' http://a.example.com '].every(isAddress)).toBe(
      true,
    );
    expect(
      ['// a comment', 'see https://a.example.com', '/rest/services', 'a.example.com'].some(isAddress),
    ).toBe(false);
  });
});
