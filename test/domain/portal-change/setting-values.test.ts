import { describe, expect, it } from '@jest/globals';
import { sameBanner } from '../../../src/domain/portal-change/setting-values';

const banner = { text: 'Soon', bgColor: '#ffcc00', fontColor: 'black', enabled: true };

describe('two banners', () => {
  it('are the same in another spelling of colors and with other fields', () => {
    expect(sameBanner(banner, { ...banner, bgColor: '#FC0', fontColor: '#000000', id: 7 })).toBe(true);
    expect(sameBanner(banner, { ...banner, bgColor: '#ffcc01' })).toBe(false);
    expect(sameBanner(banner, { ...banner, text: 'Later' })).toBe(false);
  });

  it('are the same if both are hidden and have the same text', () => {
    expect(sameBanner(null, { ...banner, text: '', enabled: false })).toBe(true);
    expect(sameBanner({ ...banner, enabled: false }, { text: 'Soon', enabled: false })).toBe(true);
    expect(sameBanner(null, banner)).toBe(false);
    expect(sameBanner({ ...banner, enabled: false }, banner)).toBe(false);
  });
});
