import { expect } from '@jest/globals';
import { readSettings } from '../../../src/portal/settings';
import type { Row, Section } from '../row';
import { refused, sent } from './settings';

const operation = 'settings.update';

/** A property with values that it takes, one that it does not, and what it is in words. */
interface Property {
  readonly name: string;
  readonly kind: string;
  readonly takes: readonly unknown[];
  readonly refuses: unknown;
  /** @default '11.0' */
  readonly since?: string;
}

const address = 'an address, as text';
const boolean = 'a boolean';
const either = { takes: [true, false], refuses: 'no' };

const properties: readonly Property[] = [
  { name: 'extentService', kind: address, takes: ['https://tiles.example.com/World/MapServer'], refuses: 1 },
  {
    name: 'footerLinks',
    kind: 'a list',
    takes: [[], [{ title: 'Help', url: 'https://example.com' }]],
    refuses: {},
  },
  {
    name: 'gcsBasemapService',
    kind: address,
    takes: ['https://tiles.example.com/WGS/MapServer'],
    refuses: 1,
  },
  { name: 'httpsDomains', kind: 'a list of texts', takes: [['gis.example.com']], refuses: [1] },
  { name: 'longTokenExpiration', kind: 'a whole number of minutes', takes: [20160, 60], refuses: 1.5 },
  { name: 'tokenExpiration', kind: 'a whole number of minutes', takes: [120, 30], refuses: '120' },
  { name: 'restrictOrganizationPageToAdmin', kind: boolean, ...either },
  { name: 'searchPlatformOnlineEnabled', kind: boolean, ...either },
  { name: 'showCreateDashboard', kind: boolean, ...either },
  { name: 'showInAppLauncher', kind: 'a list of texts', takes: [['Dashboards']], refuses: 'Dashboards' },
  { name: 'sceneViewerEnabled', kind: boolean, ...either },
  { name: 'surveyUrl', kind: address, takes: ['https://survey.example.com:7443/proxy'], refuses: 1 },
  { name: 'webAppBuilderEnabled', kind: boolean, ...either },
  {
    name: 'configurePortalCloudEnv',
    kind: 'a text or false',
    takes: ['proxy.example.com', false],
    refuses: true,
  },
  { name: 'portalCloudConfigEnabled', kind: boolean, ...either },
  { name: 'portalCatalogConfigEnabled', kind: boolean, ...either },
  { name: 'iotViewerUrl', kind: address, takes: ['https://iot.example.com/app'], refuses: 1, since: '11.1' },
];

const rowsOf = ({ name, kind, takes, refuses, since = '11.0' }: Property): Row[] => [
  {
    id: `portalConfigProperties.${name}`,
    statement: `\`${name}\` is ${kind}, from ${since} on.`,
    wire: { operation, params: { portalConfigProperties: new RegExp(`"${name}":`) } },
    check: async (world) => {
      const site = await world.at(since);
      for (const value of takes) {
        await sent(site, { portalConfigProperties: { [name]: value } });
        const { portalConfigProperties } = await readSettings(site.as('admin'), site.orgId);
        expect(portalConfigProperties).toEqual({ [name]: value });
      }
    },
  },
  {
    id: `portalConfigProperties.${name}.refused`,
    statement: `\`${name}\` takes nothing else.`,
    wire: { operation, params: { portalConfigProperties: new RegExp(`"${name}":`) }, errorCode: 400 },
    check: async (world) => refused(await world.at(since), 'portalConfigProperties', { [name]: refuses }),
  },
];

const unknown: Row = {
  id: 'portalConfigProperties.unknown',
  statement: 'There are these seventeen properties; _relied on_: another is refused by the simulated portal.',
  wire: { operation, params: { portalConfigProperties: /other/ }, errorCode: 400 },
  check: async (world) => {
    expect(properties).toHaveLength(17);
    await refused(await world.at(), 'portalConfigProperties', { other: 1 });
  },
};

export const propertySection: Section = {
  title: 'Portal configuration properties',
  rows: [...properties.flatMap(rowsOf), unknown],
};
