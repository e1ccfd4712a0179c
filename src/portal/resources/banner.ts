import { z } from 'zod';
import type { BannerRecord } from '../../model/run/run';
import type { Portal } from '../client';
import { flag, text } from '../http/reading';
import type { CallOptions } from '../http/request';
import { readSettings, type SettingsHolder, writeSettings } from './settings';

const liveBanner = z.looseObject({ text, bgColor: text, fontColor: text, enabled: flag });

/** The informational banner, without what is not set in it; null where nothing is. docs/reference/portal-interface.md, "Settings" */
export async function readBanner(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<BannerRecord | null> {
  const { informationalBanner: banner } = await readSettings(portal, portalId, options);
  const { data = {} } = liveBanner.safeParse(banner);
  const values = Object.entries(data).filter(([, value]) => value !== undefined && value !== null);
  return values.length > 0 ? Object.fromEntries(values) : null;
}

/** Sets the banner as a whole; null clears it. docs/reference/portal-interface.md, "Settings" */
export const writeBanner = (
  portal: Portal,
  portalId: string,
  banner: BannerRecord | null,
  holder: SettingsHolder,
  options?: CallOptions,
): Promise<void> => writeSettings(portal, portalId, { informationalBanner: banner ?? {} }, holder, options);

/** Whether visitors see it. */
export const isShown = (banner: BannerRecord | null): boolean => banner?.enabled === true;
