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

/** What a portal is sent for a kind of property: values that it takes, and one that it does not. */
const samples: Readonly<
  Partial<Record<SettingType, { takes: readonly unknown[]; refuses: unknown; words: string }>>
> = {
  boolean: { takes: [true, false], refuses: 'no', words: 'a boolean' },
  minutes: { takes: [30, 120, 20160], refuses: 1.5, words: 'a whole number of minutes' },
  url: { takes: ['https://maps.example.com:7443/proxy/app'], refuses: 1, words: 'an address' },
  texts: { takes: [[], ['gis.example.com', 'Dashboards']], refuses: [1], words: 'a list of texts' },
  links: { takes: [[], [{ title: 'Help', url: 'https://example.com' }]], refuses: {}, words: 'a list' },
  'text or false': { takes: ['proxy.example.com', false], refuses: true, words: 'a text, or false' },
};

/** The reference's word on each property, to which Portolan is held. */
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

function rowsOf({ name, type, since, ...more }: Property): Row[] {
  const { takes, refuses, words } = samples[type] ?? { takes: [], refuses: undefined, words: type };
  const params = { portalConfigProperties: new RegExp(`"${name}":`) };
  const first = since ?? '11.0';
  return [
    {
      statement: `\`${name}\` is ${words}, from ${first} on.`,
      wire: { operation, params },
      check: async (world) => {
        const site = await world.at(first);
        for (const value of takes) {
          await sent(site, { portalConfigProperties: { [name]: value } });
          const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
          expect(portalConfigProperties).toEqual({ [name]: value });
        }
      },
    },
    {
      statement: `\`${name}\` is nothing else: Portolan refuses it before it is sent.`,
      check: () => {
        for (const value of takes)
          expect(problemsOf('portalConfigProperties', { [name]: value })).toEqual([]);
        expect(problemsOf('portalConfigProperties', { [name]: refuses })).toEqual([
          expect.stringContaining(`portalConfigProperties.${name}`),
        ]);
      },
    },
    {
      statement:
        more.default === undefined
          ? `No default of \`${name}\` is told: to a portal on which it is not set, each value of it is a change.`
          : `Where \`${name}\` is not set, ${JSON.stringify(more.default)} holds: setting it is no change.`,
      check: () => {
        const changed = takes.filter(
          (value) =>
            settingChanges({ portalConfigProperties: {} }, { portalConfigProperties: { [name]: value } })
              .length > 0,
        );
        expect(changed).toEqual(takes.filter((value) => !isDeepStrictEqual(value, more.default)));
      },
    },
  ];
}

/** Each property as it would change on a portal that has lost it. */
const allChanged = settingChanges(
  {},
  {
    portalConfigProperties: Object.fromEntries(
      properties.map(({ name, type }) => [name, samples[type]?.takes.at(-1)]),
    ),
  },
);

const all: readonly Row[] = [
  {
    statement: 'There are these seventeen properties, and all of them are sent in one object.',
    wire: { operation, params: { portalConfigProperties: /^\{"extentService":.*/ } },
    check: async (world) => {
      const whole = Object.fromEntries(properties.map(({ name, type }) => [name, samples[type]?.takes[0]]));
      expect(problemsOf('portalConfigProperties', whole)).toEqual([]);
      const site = await world.at('11.1');
      await sent(site, { portalConfigProperties: whole });
      const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
      expect(portalConfigProperties).toEqual(whole);
    },
  },
  {
    statement: 'Whether a portal takes others is not told: Portolan refuses them before it sends anything.',
    check: () =>
      expect(problemsOf('portalConfigProperties', { other: 1 })).toEqual([
        expect.stringContaining('portalConfigProperties.other'),
      ]),
  },
  {
    statement:
      'Of `showInAppLauncher`, and of no other property, Portolan knows that an upgrade does not keep it.',
    check: () => {
      const { dropped } = upgradeLosses(allChanged, '11.1', releaseFrom('11.2'));
      expect(dropped).toEqual(['portalConfigProperties.showInAppLauncher']);
    },
  },
  {
    statement:
      'Of what was kept in a file before 11.0 Portolan knows that the upgrade to 11.0 leaves it behind.',
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
  rows: [...properties.flatMap(rowsOf), ...all],
};
