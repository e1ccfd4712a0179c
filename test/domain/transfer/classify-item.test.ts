import { describe, expect, it } from '@jest/globals';
import {
  classifyItem,
  hostedAddresses,
  isHostedService,
  itemTypes,
} from '../../../src/domain/transfer/classify-item';
import { releaseFrom } from '../../../src/portal/http/versions';

const at = (
  release: string,
  type: string,
  more: { typeKeywords?: string[]; url?: string } = {},
  data?: unknown,
) => classifyItem({ id: 'a'.repeat(32), type, title: 'Roads', ...more }, releaseFrom(release), data);

describe('the classification of items', () => {
  it('accepts every documented type at the newest version', () => {
    const open = Object.entries(itemTypes).filter(
      ([, facts]) => facts.exportable && facts.until === undefined,
    );
    for (const [type] of open) {
      expect([type, at('12.0', type, { typeKeywords: ['Hosted Service'] }).verdict]).toEqual([
        type,
        'exportable',
      ]);
    }
    expect(open).toHaveLength(29);
  });

  it('leaves an unknown type to the portal', () => {
    expect(at('11.2', 'Hologram')).toEqual({
      verdict: 'unknown',
      reason: 'type Hologram is not a known exportable type; the portal decides',
    });
    expect(at('12.0', 'Dashboard')).toEqual({
      verdict: 'unknown',
      reason: 'type Dashboard is not a known exportable type; the portal decides',
    });
    expect(at('11.2', 'Notebook').verdict).toBe('unknown');
    expect(at('11.2', 'ArcPad Package').verdict).toBe('unknown');
    expect(classifyItem({ id: '1' }, undefined)).toEqual({
      verdict: 'unknown',
      reason: 'the portal does not report its type',
    });
    expect(classifyItem({ id: '1', type: 'constructor' }, undefined).verdict).toBe('unknown');
  });

  it('leaves a type with a first version to a portal without one', () => {
    expect(classifyItem({ id: '1', type: 'StoryMap' }, undefined)).toEqual({
      verdict: 'unknown',
      reason: 'StoryMap is exported from version 11.0, but this portal reports no version',
    });
  });

  it('leaves to the portal a hosted feature service that looks proxied by its address', () => {
    const url = 'https://a.example.com/portal/sharing/servers/0123/rest/services/Roads/FeatureServer';
    expect(at('11.4', 'Feature Service', { typeKeywords: ['Hosted Service'], url })).toEqual({
      verdict: 'unknown',
      reason: 'it seems to be a proxied feature service, which portals do not export; the portal decides',
    });
  });

  it('accepts a hosted feature service, and reads its address', () => {
    const item = {
      id: '1',
      type: 'Feature Service',
      typeKeywords: ['Data', 'Hosted Service'],
      url: 'https://a.example.com/server/rest/services/Hosted/Roads/FeatureServer',
    };
    expect(classifyItem(item, releaseFrom('10.8.1')).verdict).toBe('exportable');
    expect(isHostedService(item)).toBe(true);
    expect(hostedAddresses([item, { id: '2', type: 'Web Map', url: 'https://b.example.com/x' }])).toEqual([
      item.url,
    ]);
  });

  it('takes an app that looks made with Instant Apps by its address from 10.9.1 on', () => {
    const more = { url: 'https://a.example.com/portal/apps/instant/sidebar/index.html?appid=1' };
    expect(at('10.9', 'Web Mapping Application', more)).toEqual({
      verdict: 'unknown',
      reason:
        'it seems to be made with Instant Apps, which are exported from 10.9.1; this portal runs 10.9 and decides',
    });
    expect(at('10.9.1', 'Web Mapping Application', more).verdict).toBe('exportable');
    expect(at('10.8.1', 'Web Mapping Application').verdict).toBe('exportable');
  });

  it('skips an app of a group, and accepts an app of a map', () => {
    const group = 'b'.repeat(32);
    expect(at('11.4', 'Web Mapping Application', {}, { values: { group } }).verdict).toBe('skipped');
    expect(
      at('11.4', 'Web Mapping Application', {}, { values: { group, webmap: 'c'.repeat(32) } }).verdict,
    ).toBe('exportable');
  });
});
