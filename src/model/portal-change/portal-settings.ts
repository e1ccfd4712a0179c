import names from 'color-name';
import { z } from 'zod';

/** Red, green and blue, 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

/** A CSS color name, `#rgb` or `#rrggbb`, with or without alpha, in any case; undefined for anything else. */
export function colorOf(text: string): Color | undefined {
  const word = text.trim().toLowerCase();
  if (Object.hasOwn(names, word)) return names[word];
  const digits = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(word)?.[1];
  if (digits === undefined) return undefined;
  const wide = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const part = (at: number): number => Number.parseInt(wide.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/** Below this, ordinary text on a ground is hard to read (WCAG 2, level AA). */
export const READABLE_CONTRAST = 4.5;

/** Contrast of two colors after WCAG 2, from 1 (none) to 21 (black on white). */
export function contrastOf(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Types of settings. The shape of `links` is not known; they are copied unchanged. */
export const settingTypes = {
  boolean: 'boolean',
  text: 'text',
  buttons: '`acceptAndDecline` or `okOnly`',
  color: 'color',
  minutes: 'minutes, at least 1',
  url: 'URL',
  texts: 'texts',
  links: 'list',
  'text or false': 'text, or `false`',
} as const;
export type SettingType = keyof typeof settingTypes;

/** Choices for the buttons of a notice. */
const noticeButtons = ['acceptAndDecline', 'okOnly'] as const;

/** One value that can be set. docs/reference/portal-interface.md, "Settings" */
export interface SettingField {
  readonly type: SettingType;
  /** Its effect, for people. */
  readonly meaning: string;
  /** Value in effect when not set. @default not known */
  readonly default?: boolean | number | readonly never[];
  /** First release that has it, if later than that of its object. */
  readonly since?: string;
  /** The object is incomplete without it, so it cannot be cleared alone. @default false */
  readonly isNeeded?: true;
  /** Names a host, so it fits only the portal where it was set; `links` do if they point to that portal. */
  readonly namesHost?: true;
  /** An upgrade of the portal does not keep it. @default false */
  readonly isLostOnUpgrade?: true;
}

/** An object that portals read and write as a whole. docs/reference/portal-interface.md, "Settings" */
export interface SettingObject {
  readonly meaning: string;
  /** First release that has it. */
  readonly since: string;
  /** The only deployment that has it. @default both */
  readonly only?: 'hosted' | 'self-managed';
  /** First release that shows and keeps it; earlier ones had it in a file that upgrades drop. */
  readonly notCarriedInto?: string;
  readonly fields: Readonly<Record<string, SettingField>>;
}

const noticeFields = {
  title: { type: 'text', meaning: 'heading' },
  text: { type: 'text', meaning: 'terms to accept', isNeeded: true },
  buttons: { type: 'buttons', meaning: 'whether people can decline', isNeeded: true },
  enabled: { type: 'boolean', meaning: 'show the notice', default: false, isNeeded: true },
} as const satisfies Record<string, SettingField>;

/**
 * All portal settings that can be set: the one table behind the client, settings files and docs/reference/settings.md.
 * docs/reference/portal-interface.md, "Settings"
 */
const settingObjects = {
  anonymousAccessNotice: {
    meaning: 'terms that visitors accept before using the site without signing in',
    since: '10.8',
    fields: noticeFields,
  },
  authenticatedAccessNotice: {
    meaning: 'terms that members accept after signing in',
    since: '10.8',
    only: 'hosted',
    fields: noticeFields,
  },
  informationalBanner: {
    meaning: 'banner above every page of the organization',
    since: '10.8',
    fields: {
      text: { type: 'text', meaning: 'banner text', isNeeded: true },
      bgColor: { type: 'color', meaning: 'background color', isNeeded: true },
      fontColor: { type: 'color', meaning: 'text color', isNeeded: true },
      enabled: { type: 'boolean', meaning: 'show the banner', default: false, isNeeded: true },
    },
  },
  portalConfigProperties: {
    meaning: 'portal properties',
    since: '11.0',
    only: 'self-managed',
    notCarriedInto: '11.0',
    fields: {
      extentService: {
        type: 'url',
        meaning: 'tiled map service in WGS84 (WKID 4326), for setting the extent of a web map',
        namesHost: true,
      },
      footerLinks: { type: 'links', meaning: 'links below every page', default: [], namesHost: true },
      gcsBasemapService: {
        type: 'url',
        meaning: 'basemap for WMS services without Web Mercator',
        namesHost: true,
      },
      httpsDomains: {
        type: 'texts',
        meaning: 'federated server domains that the legacy map viewer can switch to HTTPS',
        namesHost: true,
      },
      longTokenExpiration: {
        type: 'minutes',
        meaning: 'lifetime of kept sign-ins',
        default: 20160,
      },
      tokenExpiration: {
        type: 'minutes',
        meaning: 'lifetime of other sign-ins',
        default: 120,
      },
      restrictOrganizationPageToAdmin: {
        type: 'boolean',
        meaning: 'show the organization page to default administrators only',
        default: false,
      },
      searchPlatformOnlineEnabled: {
        type: 'boolean',
        meaning:
          'offer ArcGIS Online in layer searches: in the legacy map viewer, from 11.2 also in the current one',
        default: true,
      },
      showCreateDashboard: {
        type: 'boolean',
        meaning: 'offer dashboards: when sharing in the legacy viewer, on item pages, in My content',
        default: true,
      },
      showInAppLauncher: {
        type: 'texts',
        meaning: 'titles in the app launcher, exactly as the portal spells them',
        isLostOnUpgrade: true,
      },
      sceneViewerEnabled: { type: 'boolean', meaning: 'offer the scene viewer', default: true },
      surveyUrl: {
        type: 'url',
        meaning: 'survey app; can name a port or reverse proxy',
        namesHost: true,
      },
      webAppBuilderEnabled: {
        type: 'boolean',
        meaning: 'offer the app builder: when sharing in the legacy viewer, in My content',
        default: true,
      },
      configurePortalCloudEnv: {
        type: 'text or false',
        meaning: 'host of the utility service proxy; `false` for disconnected sites',
        namesHost: true,
      },
      portalCloudConfigEnabled: {
        type: 'boolean',
        meaning:
          'show the ArcGIS Online tab in organization settings; `false` for disconnected sites, after switching off its curated content',
        default: true,
      },
      portalCatalogConfigEnabled: {
        type: 'boolean',
        meaning: 'show curated content on that tab; `false` likewise',
        default: true,
      },
      iotViewerUrl: {
        type: 'url',
        meaning: 'streaming analytics app; can be a local one',
        since: '11.1',
        namesHost: true,
      },
    },
  },
} as const satisfies Record<string, SettingObject>;

export type SettingObjectName = keyof typeof settingObjects;

/** The objects in table order. */
export const settingObjectNames = Object.keys(settingObjects) as SettingObjectName[];

/** An object of the table, typed as the general shape. */
export const settingObject = (name: SettingObjectName): SettingObject => settingObjects[name];

/** A value of the table by object and name; undefined if there is none. */
export const settingField = (object: SettingObjectName, name: string): SettingField | undefined =>
  Object.hasOwn(settingObjects[object].fields, name) ? settingObject(object).fields[name] : undefined;

const url = z
  .string('write a URL in quotes')
  .refine(isWebAddress, 'is not a URL; write it as https://HOST/PATH');

/** The schema of each type of value in a settings file. */
export const settingValue = {
  boolean: z.boolean('write true or false, without quotes'),
  text: z.string('write text, in quotes if it looks like a number or a YAML keyword'),
  buttons: z.enum(noticeButtons),
  color: z
    .string('write a color in quotes: a # starts a comment')
    .refine(
      (text) => colorOf(text) !== undefined,
      'is not a color; write a CSS name such as gold, or hexadecimal such as "#ffd700"',
    ),
  minutes: z
    .int('write a whole number of minutes, without quotes')
    .min(1, 'write a whole number of minutes, at least 1'),
  url,
  texts: z.array(z.string('write text').min(1, 'is empty'), 'write a list, [ONE, OTHER]'),
  links: z.array(z.unknown(), 'write a list, [ONE, OTHER]'),
  'text or false': z.union(
    [z.string().min(1), z.literal(false)],
    'write a host name, or false without quotes',
  ),
} as const satisfies Record<SettingType, z.ZodType>;

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/\s/.test(text);
}
