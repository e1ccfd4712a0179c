import { expect } from '@jest/globals';
import { parseSettings } from '../../../src/domain/portal-change/settings-file';
import type { SettingObjectName } from '../../../src/model/portal-change/portal-settings';
import { readSettings, type SettingObjects, writeSettings } from '../../../src/portal/resources/settings';
import type { Row, Section } from '../row';
import type { Site } from '../site';
import type { World } from '../world';

const operation = 'settings.update';
const path = '/portals/<portalId>/settings/update';
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

/** Sends some settings as Portolan does. */
export async function sent(site: Site, objects: SettingObjects): Promise<void> {
  const isPortal = site.simulator.settings.deployment === 'self-managed';
  await writeSettings(site.as('admin'), site.orgId, objects, { version: site.version, isPortal });
}

/** Sends one object and reads it back. */
async function readBack(
  site: Site,
  name: SettingObjectName,
  value: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  await sent(site, { [name]: value });
  return (await readSettings(site.as('admin'), site.orgId))[name];
}

/** What Portolan finds wrong with an object of a settings file, so that nothing of it is sent. */
export const problemsOf = (name: SettingObjectName, value: unknown): readonly string[] =>
  parseSettings({ [name]: value }).problems;

const call: readonly Row[] = [
  {
    statement: 'Settings are written by a POST to the `settings/update` address of the portal.',
    wire: { operation, method: 'POST', path },
    check: async (world) => {
      expect(await readBack(await world.at(), 'informationalBanner', banner)).toEqual(banner);
    },
  },
  {
    statement: 'Settings are sent urlencoded.',
    wire: { operation, body: 'application/x-www-form-urlencoded' },
    check: async (world) => sent(await world.at(), { informationalBanner: banner }),
  },
  {
    statement: 'Each object goes as one form field whose value is the object in JSON.',
    wire: {
      operation,
      params: {
        anonymousAccessNotice: jsonObject,
        informationalBanner: jsonObject,
        portalConfigProperties: jsonObject,
      },
    },
    check: async (world) => {
      const site = await world.at();
      const portalConfigProperties = { tokenExpiration: 60 };
      const objects = { anonymousAccessNotice: notice, informationalBanner: banner, portalConfigProperties };
      await sent(site, objects);
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject(objects);
    },
  },
  {
    statement: 'What is no object is no value of a field: Portolan refuses it before it sends anything.',
    check: () =>
      expect(problemsOf('informationalBanner', 'closed')).toEqual([
        'informationalBanner: write its values below it, or null to clear it',
      ]),
  },
  {
    statement: 'Every object may be left out, and then stays as it was.',
    wire: { operation, params: { informationalBanner: jsonObject }, without: ['anonymousAccessNotice'] },
    check: async (world) => {
      const site = await world.at();
      await sent(site, { anonymousAccessNotice: notice });
      await sent(site, { informationalBanner: banner });
      expect(await readSettings(site.as('admin'), site.orgId)).toMatchObject({
        anonymousAccessNotice: notice,
      });
    },
  },
  {
    statement:
      'What an object does not name is gone afterwards (_relied on_: so an object is read, changed and sent whole).',
    wire: [{ operation }, { operation: 'settings.read', method: 'GET' }],
    check: async (world) => {
      const site = await world.at();
      await sent(site, { portalConfigProperties: { tokenExpiration: 60, sceneViewerEnabled: false } });
      expect(await readBack(site, 'portalConfigProperties', { tokenExpiration: 90 })).toEqual({
        tokenExpiration: 90,
      });
    },
  },
];

/** A value of a member that is taken, and read back. */
const takes = (
  object: SettingObjectName,
  whole: object,
  where: (world: World) => Promise<Site>,
  [member, value, statement]: readonly [member: string, value: unknown, statement: string],
): Row => ({
  statement,
  wire: { operation, params: { [object]: new RegExp(`"${member}":${JSON.stringify(value)}`) } },
  check: async (world) => {
    const read = await readBack(await where(world), object, { ...whole, [member]: value });
    expect(read).toMatchObject({ [member]: value });
  },
});

/** A value of a member that is no such value. */
const refuses = (
  object: SettingObjectName,
  whole: object,
  [member, value, statement]: readonly [member: string, value: unknown, statement: string],
): Row => ({
  statement,
  check: () => {
    expect(problemsOf(object, whole)).toEqual([]);
    expect(problemsOf(object, { ...whole, [member]: value })).toEqual([
      expect.stringContaining(`${object}.${member}`),
    ]);
  },
});

function noticeRows(
  object: 'anonymousAccessNotice' | 'authenticatedAccessNotice',
  where: (world: World) => Promise<Site>,
): Row[] {
  const name = `\`${object}\``;
  const take = (...what: Parameters<typeof takes>[3]) => takes(object, notice, where, what);
  const refuse = (...what: Parameters<typeof refuses>[2]) => refuses(object, notice, what);
  return [
    take('title', 'House rules', `${name}: \`title\` is a text.`),
    refuse('title', 1, `${name}: a \`title\` that is no text is refused by Portolan before it is sent.`),
    take('text', 'Read me first.', `${name}: \`text\` is a text.`),
    refuse('text', 1, `${name}: a \`text\` that is none is refused by Portolan before it is sent.`),
    take('buttons', 'acceptAndDecline', `${name}: \`buttons\` may be \`acceptAndDecline\`.`),
    take('buttons', 'okOnly', `${name}: \`buttons\` may be \`okOnly\`.`),
    refuse(
      'buttons',
      'cancel',
      `${name}: \`buttons\` may be nothing else: Portolan refuses it before it is sent.`,
    ),
    take('enabled', true, `${name}: \`enabled\` may be true.`),
    take('enabled', false, `${name}: \`enabled\` may be false.`),
    refuse(
      'enabled',
      'yes',
      `${name}: an \`enabled\` that is no boolean is refused by Portolan before it is sent.`,
    ),
  ];
}

const spelling: Row = {
  statement:
    'Which of the two spellings in circulation the service takes is not told; _relied on_: `acceptAndDecline`, which Portolan sends for `acceptAndDecilne` as well.',
  wire: [
    { operation, params: { anonymousAccessNotice: /acceptAndDecline/ } },
    { operation: 'settings.read', method: 'GET' },
  ],
  check: async (world) => {
    const misspelt = { anonymousAccessNotice: { ...notice, buttons: 'acceptAndDecilne' } };
    const { desired, warnings } = parseSettings(misspelt).settings;
    expect(warnings).toEqual([expect.stringContaining('acceptAndDecilne')]);
    const { anonymousAccessNotice } = desired;
    expect(await readBack(await world.at(), 'anonymousAccessNotice', anonymousAccessNotice ?? {})).toEqual(
      notice,
    );
  },
};

const self = (world: World): Promise<Site> => world.at();

const takeBanner = (...what: Parameters<typeof takes>[3]) => takes('informationalBanner', banner, self, what);
const refuseBanner = (...what: Parameters<typeof refuses>[2]) => refuses('informationalBanner', banner, what);

const bannerRows: readonly Row[] = [
  takeBanner('text', 'Closed on Sunday', '`informationalBanner`: `text` is a text.'),
  refuseBanner(
    'text',
    1,
    '`informationalBanner`: a `text` that is none is refused by Portolan before it is sent.',
  ),
  takeBanner('bgColor', 'navy', '`informationalBanner`: `bgColor` may be the name of a color.'),
  takeBanner('bgColor', '#002b5c', '`informationalBanner`: `bgColor` may be hexadecimal.'),
  takeBanner('fontColor', 'white', '`informationalBanner`: `fontColor` may be the name of a color.'),
  takeBanner('fontColor', '#ffffff', '`informationalBanner`: `fontColor` may be hexadecimal.'),
  takeBanner('enabled', true, '`informationalBanner`: `enabled` may be true.'),
  takeBanner('enabled', false, '`informationalBanner`: `enabled` may be false.'),
  refuseBanner(
    'enabled',
    'yes',
    '`informationalBanner`: an `enabled` that is no boolean is refused by Portolan before it is sent.',
  ),
  {
    statement: 'Colors that hardly differ are taken all the same.',
    wire: { operation, params: { informationalBanner: /#fffffe/ } },
    check: async (world) => {
      const pale = { ...banner, bgColor: '#ffffff', fontColor: '#fffffe' };
      expect(await readBack(await world.at(), 'informationalBanner', pale)).toEqual(pale);
    },
  },
];

export const settingsSection: Section = {
  title: 'Settings',
  rows: [...call],
};

export const noticeSection: Section = {
  title: 'Access notices and banner',
  rows: [
    ...noticeRows('anonymousAccessNotice', self),
    spelling,
    ...noticeRows('authenticatedAccessNotice', (world) => world.hosted()),
    ...bannerRows,
  ],
};
