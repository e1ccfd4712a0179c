import { expect } from '@jest/globals';
import { parseSettings } from '../../../src/domain/portal-change/settings-file';
import type { SettingObjectName } from '../../../src/model/portal-change/portal-settings';
import { readSettings, type SettingObjects, writeSettings } from '../../../src/portal/resources/settings';
import type { Row, Section } from '../row';
import type { Site } from '../site';

const operation = 'settings.update';
const jsonObject = /^\{.*\}$/;

export const notice = {
  title: 'Terms',
  text: 'Be kind.',
  buttons: 'acceptAndDecline',
  enabled: true,
};
export const banner = {
  text: 'Import under way',
  bgColor: 'orange',
  fontColor: '#1a1a1a',
  enabled: true,
};

/** Sends settings as Portolan does. */
export async function sent(site: Site, objects: SettingObjects): Promise<void> {
  const isPortal = site.simulator.settings.deployment === 'self-managed';
  await writeSettings(site.as('admin'), site.orgId, objects, { version: site.version, isPortal });
}

/** Sends settings. @returns all settings afterwards */
export async function readBack(site: Site, objects: SettingObjects) {
  await sent(site, objects);
  return readSettings(site.as('admin'), site.orgId);
}

const calls: readonly Row[] = [
  {
    statement: 'Accepts settings by an urlencoded POST, each object as a JSON field.',
    wire: {
      operation,
      method: 'POST',
      path: '/portals/<portalId>/settings/update',
      body: 'application/x-www-form-urlencoded',
      params: {
        anonymousAccessNotice: jsonObject,
        informationalBanner: jsonObject,
        portalConfigProperties: jsonObject,
      },
    },
    check: async (site) => {
      const portalConfigProperties = { tokenExpiration: 60 };
      const objects = { anonymousAccessNotice: notice, informationalBanner: banner, portalConfigProperties };
      expect(await readBack(site, objects)).toMatchObject(objects);
    },
  },
  {
    statement: 'Keeps omitted objects.',
    wire: { operation, params: { informationalBanner: jsonObject }, without: ['anonymousAccessNotice'] },
    check: async (site) => {
      await sent(site, { anonymousAccessNotice: notice });
      const settings = await readBack(site, { informationalBanner: banner });
      expect(settings).toMatchObject({ anonymousAccessNotice: notice });
    },
  },
  {
    statement: 'Clears an empty object with `clearEmptyFields`.',
    wire: { operation, params: { informationalBanner: '{}', clearEmptyFields: 'true' } },
    check: async (site) => {
      await sent(site, { informationalBanner: banner });
      expect((await readBack(site, { informationalBanner: {} })).informationalBanner).toBeNull();
    },
  },
  {
    statement: 'Replaces an object whole.',
    wire: [{ operation }, { operation: 'settings.read', method: 'GET' }],
    check: async (site) => {
      await sent(site, { portalConfigProperties: { tokenExpiration: 60, sceneViewerEnabled: false } });
      const portalConfigProperties = { tokenExpiration: 90 };
      const settings = await readBack(site, { portalConfigProperties });
      expect(settings.portalConfigProperties).toEqual(portalConfigProperties);
    },
  },
];

type Members = readonly (readonly [member: string, value: unknown])[];

const noticeTakes: Members = [
  ['title', 'House rules'],
  ['text', 'Read me first.'],
  ['buttons', 'acceptAndDecline'],
  ['buttons', 'okOnly'],
  ['enabled', true],
  ['enabled', false],
];
const bannerTakes: Members = [
  ['text', 'Closed on Sunday'],
  ['bgColor', 'navy'],
  ['bgColor', '#002b5c'],
  ['fontColor', 'white'],
  ['fontColor', '#ffffff'],
  // Hardly any contrast
  ['fontColor', '#ffa501'],
  ['enabled', true],
  ['enabled', false],
];

const objects: readonly (readonly [SettingObjectName, object, Members])[] = [
  ['anonymousAccessNotice', notice, noticeTakes],
  ['authenticatedAccessNotice', notice, noticeTakes],
  ['informationalBanner', banner, bannerTakes],
];

const members = objects.map(([object, whole, takes]): Row => ({
  statement: `Accepts each member of \`${object}\`.`,
  wire: takes.map(([member, value]) => ({
    operation,
    params: { [object]: new RegExp(`"${member}":${JSON.stringify(value)}`) },
  })),
  check: async (_site, world) => {
    const site = await (object === 'authenticatedAccessNotice' ? world.hosted() : world.at());
    for (const [member, value] of takes) {
      const settings = await readBack(site, { [object]: { ...whole, [member]: value } });
      expect(settings[object]).toMatchObject({ [member]: value });
    }
  },
}));

const spelling: Row = {
  statement: '**Portolan** sends `acceptAndDecline` for `acceptAndDecilne`.',
  wire: { operation, params: { anonymousAccessNotice: /acceptAndDecline/ } },
  check: async (site) => {
    const misspelt = { anonymousAccessNotice: { ...notice, buttons: 'acceptAndDecilne' } };
    const { desired, warnings } = parseSettings(misspelt).settings;
    expect(warnings).toEqual([expect.stringContaining('acceptAndDecilne')]);
    const anonymousAccessNotice = desired.anonymousAccessNotice ?? {};
    const settings = await readBack(site, { anonymousAccessNotice });
    expect(settings.anonymousAccessNotice).toEqual(notice);
  },
};

export const settingsSection: Section = { title: 'Settings', rows: calls };
export const noticeSection: Section = { title: 'Access notices and banner', rows: [...members, spelling] };
