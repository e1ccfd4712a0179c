import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { settingChanges } from '../../../src/domain/portal-change/setting-values';
import type { SettingType } from '../../../src/model/portal-change/portal-settings';
import { readSettings } from '../../../src/portal/resources/settings';
import type { Row, Section } from '../row';
import { sent } from './settings';

const operation = 'settings.update';

/** Values that a portal accepts of each type. */
const samples: Readonly<Partial<Record<SettingType, { takes: readonly unknown[]; text: string }>>> = {
  boolean: { takes: [true, false], text: 'a boolean' },
  minutes: { takes: [30, 120, 20160], text: 'a whole number of minutes' },
  url: { takes: ['https://maps.example.com:7443/proxy/app'], text: 'an address' },
  texts: { takes: [[], ['gis.example.com', 'Dashboards']], text: 'a list of texts' },
  links: { takes: [[], [{ title: 'Help', url: 'https://example.com' }]], text: 'a list' },
  'text or false': { takes: ['proxy.example.com', false], text: 'a text, or false' },
};

/** A property as the vendor's reference describes it. */
interface Property {
  readonly name: string;
  readonly type: SettingType;
  readonly default?: boolean | number | readonly never[];
  /** @default '11.0' */
  readonly since?: string;
}

const properties: readonly Property[] = [
  { name: 'extentService', type: 'url' },
  { name: 'footerLinks', type: 'links', default: [] },
  { name: 'gcsBasemapService', type: 'url' },
  { name: 'httpsDomains', type: 'texts' },
  { name: 'longTokenExpiration', type: 'minutes', default: 20160 },
  { name: 'tokenExpiration', type: 'minutes', default: 120 },
  { name: 'restrictOrganizationPageToAdmin', type: 'boolean', default: false },
  { name: 'searchPlatformOnlineEnabled', type: 'boolean', default: true },
  { name: 'showCreateDashboard', type: 'boolean', default: true },
  { name: 'showInAppLauncher', type: 'texts' },
  { name: 'sceneViewerEnabled', type: 'boolean', default: true },
  { name: 'surveyUrl', type: 'url' },
  { name: 'webAppBuilderEnabled', type: 'boolean', default: true },
  { name: 'configurePortalCloudEnv', type: 'text or false' },
  { name: 'portalCloudConfigEnabled', type: 'boolean', default: true },
  { name: 'portalCatalogConfigEnabled', type: 'boolean', default: true },
  { name: 'iotViewerUrl', type: 'url', since: '11.1' },
];

function rowOf({ name, type, since = '11.0', default: value }: Property): Row {
  const { takes, text } = samples[type] ?? { takes: [], text: type };
  const isChange = (value: unknown) =>
    settingChanges({ portalConfigProperties: {} }, { portalConfigProperties: { [name]: value } }).length > 0;
  return {
    statement: `\`${name}\` is ${text}, from ${since} on.`,
    wire: { operation, params: { portalConfigProperties: new RegExp(`"${name}":`) } },
    check: async (_site, world) => {
      const site = await world.at(since);
      for (const value of takes) {
        await sent(site, { portalConfigProperties: { [name]: value } });
        const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
        expect(portalConfigProperties).toEqual({ [name]: value });
      }
      // Setting the default of an unset property is no change.
      expect(takes.filter(isChange)).toEqual(takes.filter((each) => !isDeepStrictEqual(each, value)));
    },
  };
}

const all: readonly Row[] = [
  {
    statement: 'Accepts the seventeen properties in one object.',
    wire: { operation, params: { portalConfigProperties: /^\{"extentService":.*/ } },
    check: async (_site, world) => {
      const whole = Object.fromEntries(properties.map(({ name, type }) => [name, samples[type]?.takes[0]]));
      const site = await world.at('11.1');
      await sent(site, { portalConfigProperties: whole });
      const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
      expect(portalConfigProperties).toEqual(whole);
    },
  },
];

export const propertySection: Section = {
  title: 'Portal configuration properties',
  rows: [...properties.map(rowOf), ...all],
};
