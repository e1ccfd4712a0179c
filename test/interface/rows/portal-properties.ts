import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import { upgradeLosses } from '../../../src/domain/portal-change/setting-concerns';
import { settingChanges } from '../../../src/domain/portal-change/setting-values';
import type { SettingType } from '../../../src/model/portal-change/portal-settings';
import { releaseFrom } from '../../../src/portal/http/versions';
import { readSettings } from '../../../src/portal/resources/settings';
import type { Row, Section } from '../row';
import { problemsOf, sent } from './settings';

const operation = 'settings.update';

/** Values that a portal accepts of each type, and one that it does not. */
const samples: Readonly<
  Partial<Record<SettingType, { takes: readonly unknown[]; refuses: unknown; text: string }>>
> = {
  boolean: { takes: [true, false], refuses: 'no', text: 'a boolean' },
  minutes: { takes: [30, 120, 20160], refuses: 1.5, text: 'a whole number of minutes' },
  url: { takes: ['https://maps.example.com:7443/proxy/app'], refuses: 1, text: 'an address' },
  texts: { takes: [[], ['gis.example.com', 'Dashboards']], refuses: [1], text: 'a list of texts' },
  links: { takes: [[], [{ title: 'Help', url: 'https://example.com' }]], refuses: {}, text: 'a list' },
  'text or false': { takes: ['proxy.example.com', false], refuses: true, text: 'a text, or false' },
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
  const { takes, refuses, text } = samples[type] ?? { takes: [], refuses: undefined, text: type };
  const problems = (value: unknown) => problemsOf('portalConfigProperties', { [name]: value });
  const isChange = (value: unknown) =>
    settingChanges({ portalConfigProperties: {} }, { portalConfigProperties: { [name]: value } }).length > 0;
  return {
    statement: `\`${name}\` is ${text}, from ${since} on.`,
    wire: { operation, params: { portalConfigProperties: new RegExp(`"${name}":`) } },
    check: async (world) => {
      const site = await world.at(since);
      for (const value of takes) {
        expect(problems(value)).toEqual([]);
        await sent(site, { portalConfigProperties: { [name]: value } });
        const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
        expect(portalConfigProperties).toEqual({ [name]: value });
      }
      expect(problems(refuses)).toEqual([expect.stringContaining(`portalConfigProperties.${name}`)]);
      // Setting the default of an unset property is no change.
      expect(takes.filter(isChange)).toEqual(takes.filter((each) => !isDeepStrictEqual(each, value)));
    },
  };
}

const sampleOf = (at: number) =>
  Object.fromEntries(properties.map(({ name, type }) => [name, samples[type]?.takes.at(at)]));
const allChanged = settingChanges({}, { portalConfigProperties: sampleOf(-1) });

const all: readonly Row[] = [
  {
    statement: 'Accepts the seventeen properties in one object.',
    wire: { operation, params: { portalConfigProperties: /^\{"extentService":.*/ } },
    check: async (world) => {
      const whole = sampleOf(0);
      expect(problemsOf('portalConfigProperties', whole)).toEqual([]);
      const site = await world.at('11.1');
      await sent(site, { portalConfigProperties: whole });
      const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
      expect(portalConfigProperties).toEqual(whole);
    },
  },
  {
    statement: '**Portolan** refuses other properties before it sends anything.',
    check: () =>
      expect(problemsOf('portalConfigProperties', { other: 1 })).toEqual([
        expect.stringContaining('portalConfigProperties.other'),
      ]),
  },
  {
    statement: '**Portolan** warns that an upgrade loses `showInAppLauncher` only.',
    check: () => {
      const { dropped } = upgradeLosses(allChanged, '11.1', releaseFrom('11.2'));
      expect(dropped).toEqual(['portalConfigProperties.showInAppLauncher']);
    },
  },
  {
    statement: '**Portolan** warns that the upgrade to 11.0 loses all of them.',
    check: () => {
      const { dropped } = upgradeLosses(allChanged, '10.9.1', releaseFrom('11.0'));
      expect(dropped).toEqual(allChanged.map(({ path }) => path));
      expect(upgradeLosses([], '10.9.1', releaseFrom('11.0')).notes).toEqual([
        expect.stringContaining('10.9.1 kept its properties in a separate file'),
      ]);
    },
  },
];

export const propertySection: Section = {
  title: 'Portal configuration properties',
  rows: [...properties.map(rowOf), ...all],
};
