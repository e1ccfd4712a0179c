import { describe, expect, it } from '@jest/globals';
import { hostPair, promotionOf } from '../../../src/domain/portal-change/settings-promotion';

const own = ['https://staging.example.com/portal/sharing/rest', 'staging.example.com:7443/arcgis'];
const promote = (properties: Record<string, unknown>, ...maps: string[]) => {
  const map = new Map(maps.flatMap((text) => [hostPair(text) ?? []]) as [string, string][]);
  const { desired, left } = promotionOf({ portalConfigProperties: properties }, own, map);
  return { properties: desired.portalConfigProperties ?? {}, left };
};

describe('settings that are carried to another portal', () => {
  it.each([
    ['extentService', 'https://services.example.com/extent'],
    ['gcsBasemapService', 'https://services.example.com/basemap'],
    ['surveyUrl', 'https://services.example.com/survey'],
    ['iotViewerUrl', 'https://services.example.com/iot'],
    ['httpsDomains', ['services.example.com']],
    ['configurePortalCloudEnv', 'services.example.com'],
  ])('are without %s, unless its host is mapped', (name, value) => {
    const alone = promote({ [name]: value });
    expect(alone.properties).not.toHaveProperty(name);
    expect(alone.left).toEqual([
      `portalConfigProperties.${name} is skipped: it names services.example.com; to copy it: --map services.example.com=HOST`,
    ]);
    const mapped = promote({ [name]: value }, 'services.example.com=live.example.com');
    expect(mapped.left).toEqual([]);
    expect(JSON.stringify(mapped.properties[name])).toBe(
      JSON.stringify(value).replace('services.example.com', 'live.example.com'),
    );
  });

  it('have what is no host, and what is not set as cleared', () => {
    const { properties, left } = promote({
      configurePortalCloudEnv: false,
      tokenExpiration: 60,
      showInAppLauncher: ['Map Viewer'],
    });
    expect(left).toEqual([]);
    expect(properties).toMatchObject({
      configurePortalCloudEnv: false,
      tokenExpiration: 60,
      showInAppLauncher: ['Map Viewer'],
      longTokenExpiration: null,
    });
    // The target keeps its own.
    expect(properties).not.toHaveProperty('surveyUrl');
  });

  it('have links to other hosts and within the portal, none to it by name', () => {
    const elsewhere = [{ title: 'Imprint', url: 'https://example.org/imprint' }, { url: '/portal/help' }];
    expect(promote({ footerLinks: elsewhere }).properties).toMatchObject({ footerLinks: elsewhere });
    const ours = [...elsewhere, { title: 'Help', url: 'https://Staging.example.com:7443/help' }];
    expect(promote({ footerLinks: ours }).left).toEqual([
      'portalConfigProperties.footerLinks is skipped: it names staging.example.com:7443; to copy it: --map staging.example.com:7443=HOST',
    ]);
    expect(promote({ footerLinks: ours }, 'staging.example.com=example.com').properties).toMatchObject({
      footerLinks: [...elsewhere, { title: 'Help', url: 'https://example.com:7443/help' }],
    });
  });

  it('keep the port, unless the map names one', () => {
    const surveyUrl = 'https://survey.example.com:8443/survey.example.com';
    const moved = (map: string) => promote({ surveyUrl }, map).properties['surveyUrl'];
    expect(moved('survey.example.com=live.example.com')).toBe(
      'https://live.example.com:8443/survey.example.com',
    );
    expect(moved('survey.example.com=live.example.com:9443')).toBe(
      'https://live.example.com:9443/survey.example.com',
    );
    expect(moved('survey.example.com:8443=live.example.com')).toBe(
      'https://live.example.com/survey.example.com',
    );
    expect(moved('survey.example.com=survey.example.com')).toBe(surveyUrl);
  });

  it('are told of where a text names the portal that it comes from', () => {
    const anonymousAccessNotice = { text: 'See https://STAGING.example.com/terms', enabled: true };
    const { desired, left } = promotionOf({ anonymousAccessNotice }, own, new Map());
    expect(desired).toEqual({ anonymousAccessNotice: { ...anonymousAccessNotice, title: null } });
    expect(left).toEqual([
      'anonymousAccessNotice.text is copied unchanged, although it names staging.example.com',
    ]);
  });

  it('clear an object that the source has not set, and leave out what it does not know', () => {
    const properties = { ownIdea: 1 };
    const { desired, left } = promotionOf(
      { informationalBanner: null, portalConfigProperties: properties },
      own,
      new Map(),
    );
    expect(desired.informationalBanner).toBeNull();
    expect(desired).not.toHaveProperty('anonymousAccessNotice');
    expect(left).toEqual(['portalConfigProperties.ownIdea is skipped: unknown setting']);
  });
});

describe('a pair of hosts', () => {
  it.each(['a=b=c', 'a', '=b', 'https://a=b', 'a/b=c', 'a b=c', ''])('is not %j', (text) => {
    expect(hostPair(text)).toBeUndefined();
  });

  it('has ports where they are written', () => {
    expect(hostPair('Staging.example.com:7443 = example.com')).toEqual([
      'staging.example.com:7443',
      'example.com',
    ]);
  });
});
