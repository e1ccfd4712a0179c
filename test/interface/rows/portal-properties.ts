import { expect } from '@jest/globals';
import {
  settingField,
  settingObjects,
  type SettingType,
} from '../../../src/model/portal-change/portal-settings';
import { readSettings } from '../../../src/portal/resources/settings';
import type { Row, Section } from '../row';
import { refused, sent } from './settings';

const operation = 'settings.update';

/** What a portal is sent for a kind of property: values that it takes, and one that it does not. */
const samples: Readonly<
  Partial<Record<SettingType, { takes: readonly unknown[]; refuses: unknown; words: string }>>
> = {
  boolean: { takes: [true, false], refuses: 'no', words: 'a boolean' },
  minutes: { takes: [30, 20160], refuses: 1.5, words: 'a whole number of minutes' },
  url: { takes: ['https://maps.example.com:7443/proxy/app'], refuses: 1, words: 'an address' },
  texts: { takes: [[], ['gis.example.com', 'Dashboards']], refuses: [1], words: 'a list of texts' },
  links: { takes: [[], [{ title: 'Help', url: 'https://example.com' }]], refuses: {}, words: 'a list' },
  'text or false': { takes: ['proxy.example.com', false], refuses: true, words: 'a text, or false' },
};

/** The reference's word on each property, to which Portolan's table of settings is held. */
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
      id: `portalConfigProperties.${name}`,
      statement: `\`${name}\` is ${words}, from ${first} on.`,
      wire: { operation, params },
      check: async (world) => {
        expect(settingField('portalConfigProperties', name)).toMatchObject({ type, ...(since && { since }) });
        expect(settingField('portalConfigProperties', name)?.since).toBe(since);
        const site = await world.at(first);
        for (const value of takes) {
          await sent(site, { portalConfigProperties: { [name]: value } });
          const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
          expect(portalConfigProperties).toEqual({ [name]: value });
        }
      },
    },
    {
      id: `portalConfigProperties.${name}.refused`,
      statement: `\`${name}\` is nothing else; _relied on_: error 400.`,
      wire: { operation, params, errorCode: 400 },
      check: async (world) => refused(await world.at(first), 'portalConfigProperties', { [name]: refuses }),
    },
    {
      id: `portalConfigProperties.${name}.default`,
      statement:
        more.default === undefined
          ? `No default of \`${name}\` is told, and Portolan assumes none.`
          : `Where \`${name}\` is not set, ${JSON.stringify(more.default)} holds.`,
      check: () => expect(settingField('portalConfigProperties', name)?.default).toEqual(more.default),
    },
  ];
}

const all: readonly Row[] = [
  {
    id: 'portalConfigProperties.all',
    statement: 'There are these seventeen properties, and all of them are sent in one object.',
    wire: { operation, params: { portalConfigProperties: /^\{"extentService":.*/ } },
    check: async (world) => {
      const names = Object.keys(settingObjects.portalConfigProperties.fields);
      expect(names).toEqual(properties.map(({ name }) => name));
      expect(names).toHaveLength(17);
      const whole = Object.fromEntries(properties.map(({ name, type }) => [name, samples[type]?.takes[0]]));
      const site = await world.at('11.1');
      await sent(site, { portalConfigProperties: whole });
      const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
      expect(portalConfigProperties).toEqual(whole);
    },
  },
  {
    id: 'portalConfigProperties.unknown',
    statement: 'Whether a portal takes others is not told; _relied on_: it may refuse them with error 400.',
    wire: { operation, params: { portalConfigProperties: /other/ }, errorCode: 400 },
    check: async (world) => refused(await world.at(), 'portalConfigProperties', { other: 1 }),
  },
  {
    id: 'portalConfigProperties.longerAndShorter',
    statement: 'A sign-in that is kept has 14 days by default, any other one 2 hours.',
    check: () => {
      const { longTokenExpiration, tokenExpiration } = settingObjects.portalConfigProperties.fields;
      expect([longTokenExpiration.default, tokenExpiration.default]).toEqual([14 * 24 * 60, 2 * 60]);
    },
  },
  {
    id: 'portalConfigProperties.lostOnUpgrade',
    statement:
      'Of `showInAppLauncher`, and of no other property, Portolan knows that an upgrade does not keep it.',
    check: () => {
      const lost = properties.filter(
        ({ name }) => settingField('portalConfigProperties', name)?.isLostOnUpgrade,
      );
      expect(lost.map(({ name }) => name)).toEqual(['showInAppLauncher']);
    },
  },
  {
    id: 'portalConfigProperties.notCarried',
    statement:
      'Of what was kept in a file before 11.0 Portolan knows that the upgrade to 11.0 leaves it behind.',
    check: () => expect(settingObjects.portalConfigProperties.notCarriedInto).toBe('11.0'),
  },
];

export const propertySection: Section = {
  title: 'Portal configuration properties',
  rows: [...properties.flatMap(rowsOf), ...all],
};
