import { describe, expect, it } from '@jest/globals';
import {
  isAddress,
  portalAddress,
  itemIdInAddress,
  serviceAddress,
  serviceKey,
} from '../../../../src/domain/transfer/references/addresses';
import { type Reference, referencesOf } from '../../../../src/domain/transfer/references/content';
import { maskSecrets } from '../../../../src/model/text/mask-secrets';

const MB = 1024 ** 2;
const filled = (piece: string, end = '') => piece.repeat(Math.ceil(MB / piece.length)) + end;

/** A megabyte each, made so that an expression which begins anew at each place would take minutes. */
describe('a megabyte that a publisher has put into an item', () => {
  it.each([
    ['an address that a space ends', `//${filled('a', ' b')}`],
    ['slashes', filled('/', 'a')],
    ['an address of slashes', `https://portal.example.com${filled('/', 'a')}`],
    ['beginnings of addresses', filled('http://')],
    ['folders of apps', `https://portal.example.com${filled('/apps')}`],
    ['services in lines', `https://portal.example.com/${filled('rest/services/')}\nx`],
    ['servers in lines', `https://portal.example.com/${filled('MapServer/')}\nx`],
    ['queries', `https://portal.example.com/${filled('?id=')}`],
    ['sources', `<${filled('src=')}`],
    ['sources and spaces', `<${filled('src ')}`],
    ['spaces', filled(' ', 'x')],
    ['names of secrets', filled('token ')],
    ['letters that may be a password', filled('a')],
    ['spaces after a name', `key=${filled(' ')}key`],
    ['addresses with names', filled('https://a:b')],
  ])('is read through once: %s [P16]', (_what, text) => {
    const content = {
      item: { url: text },
      data: { operationalLayers: [{ url: text, script: text, itemId: text, popup: text }] },
    };
    const references: Reference[] = [...referencesOf(content)];
    for (const { value } of references) expect(value.length).toBeLessThanOrEqual(text.length);
    for (const read of [isAddress, portalAddress, serviceAddress, serviceKey, itemIdInAddress, maskSecrets])
      expect(() => read(text)).not.toThrow();
  });

  it('leaves the addresses beside it what they are', () => {
    const id = '0123456789abcdef0123456789abcdef';
    const url = 'https://portal.example.com/server/rest/services/roads/FeatureServer/0';
    const data = { a: `//${filled('a', ' b')}`, layers: [{ url }], webmap: id };
    const found = [...referencesOf({ item: {}, data })].map(({ value }) => value);
    expect(found).toEqual([url, id]);
  });
});
