import { colourOf, contrastOf, READABLE_CONTRAST } from '../../../model/portal-change/colour';
import { settingField, type SettingObjectName } from '../../../model/portal-change/portal-settings';
import type { SettingValues } from '../../../portal/resources/settings';
import { toNumber } from '../../../portal/http/reading';
import { mergedObject } from './differences';
import type { LiveSettings, DesiredSettings } from './settings-values';

/** What a portal takes, and people may regret: one sentence each, of the settings as they would become. */
export function settingConcerns(live: LiveSettings, desired: DesiredSettings): string[] {
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
export function contrastConcern({ bgColor, fontColor }: SettingValues): string[] {
  if (typeof bgColor !== 'string' || typeof fontColor !== 'string') return [];
  const [ground, font] = [colourOf(bgColor), colourOf(fontColor)];
  if (!ground || !font) return [];
  const contrast = contrastOf(ground, font);
  if (contrast >= READABLE_CONTRAST) return [];
  return [
    `informationalBanner: ${fontColor} on ${bgColor} is hard to read (contrast ${contrast.toFixed(1)} to 1, at least ${READABLE_CONTRAST} is readable); the portal's page of security settings will say so`,
  ];
}

function lifetimeConcern(properties: SettingValues): string[] {
  const minutes = (name: string): number =>
    toNumber(properties[name] ?? settingField('portalConfigProperties', name)?.default) ?? 0;
  const [token, long] = [minutes('tokenExpiration'), minutes('longTokenExpiration')];
  if (token <= long) return [];
  return [
    `portalConfigProperties: tokenExpiration (${token} minutes) is above longTokenExpiration (${long}), so a sign-in that is kept ends before any other`,
  ];
}

/** Clearing an object takes along what the table does not name. */
const clearedUnnamed = (live: LiveSettings, desired: DesiredSettings): string[] => {
  if (desired.portalConfigProperties !== null) return [];
  const names = Object.keys(live.portalConfigProperties ?? {}).filter(
    (name) => !settingField('portalConfigProperties', name),
  );
  return names.length === 0
    ? []
    : [`portalConfigProperties: clearing it also clears ${names.join(', ')}, which no file can set again`];
};
