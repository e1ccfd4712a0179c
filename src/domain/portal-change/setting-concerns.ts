import {
  colorOf,
  contrastOf,
  READABLE_CONTRAST,
  settingField,
  settingObject,
  type SettingObjectName,
} from '../../model/portal-change/portal-settings';
import type { SettingValues } from '../../portal/resources/settings';
import { toNumber } from '../../portal/http/reading';
import { compareReleases, type Release, releaseFrom } from '../../portal/http/versions';
import { mergedObject, type SettingChange, type Settings } from './setting-values';

/** What a portal takes, and people may regret: one sentence each, of the settings as they would become. */
export function settingConcerns(live: Settings, desired: Settings): string[] {
  const become = (name: SettingObjectName): SettingValues | undefined => {
    const values = desired[name];
    return values === undefined ? undefined : mergedObject(live[name], values);
  };
  const [banner, properties] = [become('informationalBanner'), become('portalConfigProperties')];
  return [
    ...(banner ? contrastConcern(banner) : []),
    ...(properties ? lifetimeConcern(properties) : []),
    ...clearedUnnamed(live, desired),
  ];
}

/** That a banner's text is hard to read on its ground. */
function contrastConcern({ bgColor, fontColor }: SettingValues): string[] {
  if (typeof bgColor !== 'string' || typeof fontColor !== 'string') return [];
  const [ground, font] = [colorOf(bgColor), colorOf(fontColor)];
  if (!ground || !font) return [];
  const contrast = contrastOf(ground, font);
  if (contrast >= READABLE_CONTRAST) return [];
  return [
    `informationalBanner: ${fontColor} on ${bgColor} is hard to read (contrast ${contrast.toFixed(1)}:1; use at least ${READABLE_CONTRAST}:1); the portal's security page will warn about it`,
  ];
}

function lifetimeConcern(properties: SettingValues): string[] {
  const minutes = (name: string): number =>
    toNumber(properties[name] ?? settingField('portalConfigProperties', name)?.default) ?? 0;
  const [token, long] = [minutes('tokenExpiration'), minutes('longTokenExpiration')];
  if (token <= long) return [];
  return [
    `portalConfigProperties: tokenExpiration (${token} minutes) is above longTokenExpiration (${long}), so stay-signed-in sessions end before others`,
  ];
}

/** Clearing an object takes along what the table does not name. */
const clearedUnnamed = (live: Settings, desired: Settings): string[] => {
  if (desired.portalConfigProperties !== null) return [];
  const names = Object.keys(live.portalConfigProperties ?? {}).filter(
    (name) => !settingField('portalConfigProperties', name),
  );
  return names.length === 0
    ? []
    : [`portalConfigProperties: clearing it also clears ${names.join(', ')}, which no file can set again`];
};

interface UpgradeLosses {
  /** Paths of differences that come of the upgrade. */
  readonly dropped: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Which differences between a portal and a file of an older version come of the upgrade in between: values that no
 * upgrade keeps, and those that older releases had in a file of their own. docs/reference/portal-interface.md, "Settings"
 *
 * @param version that the file says it was exported from
 */
export function upgradeLosses(
  changes: readonly SettingChange[],
  version: string | undefined,
  release: Release | undefined,
): UpgradeLosses {
  const before = releaseFrom(version);
  if (!before || !release || compareReleases(before, release) >= 0) return { dropped: [], notes: [] };
  const lies = (since: string): boolean => {
    const border = releaseFrom(since);
    return (
      border !== undefined && compareReleases(before, border) < 0 && compareReleases(border, release) <= 0
    );
  };
  const isDropped = ({ object, name }: SettingChange): boolean => {
    const { notCarriedInto } = settingObject(object);
    if (settingField(object, name)?.isLostOnUpgrade) return true;
    return notCarriedInto !== undefined && lies(notCarriedInto);
  };
  const properties = settingObject('portalConfigProperties').notCarriedInto;
  const notes =
    properties !== undefined &&
    lies(properties) &&
    !changes.some(({ object }) => object === 'portalConfigProperties')
      ? [
          `${before.text} kept its properties in a separate file that the upgrade to ${properties} did not keep; set them again as portalConfigProperties`,
        ]
      : [];
  return { dropped: changes.filter(isDropped).map(({ path }) => path), notes };
}
