import type { BannerRecord } from '../model/run';
import type { Portal } from './client';
import type { CallOptions } from './request';
import { readSettings, type SettingsHolder, writeSettingObject } from './settings';

/** The informational banner; null where none is set. docs/portal-interface.md, "Settings" */
export async function readBanner(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<BannerRecord | null> {
  const { informationalBanner: banner } = await readSettings(portal, portalId, options);
  if (typeof banner !== 'object' || banner === null || Object.keys(banner).length === 0) return null;
  return banner as BannerRecord;
}

/** Sets the banner as a whole; null clears it. docs/portal-interface.md, "Settings" */
export const writeBanner = (
  portal: Portal,
  portalId: string,
  banner: BannerRecord | null,
  holder: SettingsHolder,
  options?: CallOptions,
): Promise<void> =>
  writeSettingObject(portal, portalId, 'informationalBanner', banner ?? {}, holder, options);

/** Whether two banners show the same: a portal may keep more of one than it was sent. */
export function sameBanner(a: BannerRecord | null, b: BannerRecord | null): boolean {
  if (!isShown(a) && !isShown(b)) return (a?.text ?? '') === (b?.text ?? '');
  const plain = ({ text = '', bgColor = '', fontColor = '', enabled = false }: BannerRecord) =>
    [text, bgColor.toLowerCase(), fontColor.toLowerCase(), enabled].join('\n');
  return a !== null && b !== null && plain(a) === plain(b);
}

export const isShown = (banner: BannerRecord | null): boolean => banner?.enabled === true;
