import { z } from 'zod';
import { PortolanError } from '../model/errors';
import type { Portal } from './client';
import { pathOf } from './path';
import { anyObject, flag } from './reading';
import type { CallOptions } from './request';
import { atLeast, type PortalVersion } from './versions';

/** First releases of settings. docs/portal-interface.md, "Settings" */
export const settingsSince = { portalConfigProperties: '11.0', iotViewerUrl: '11.1' } as const;

/** A notice that users must agree to before they reach the site. docs/portal-interface.md, "Settings" */
export interface AccessNotice {
  readonly title: string;
  readonly text: string;
  /** acceptAndDecline: Accept or Decline; okOnly: only OK. */
  readonly buttons: 'acceptAndDecline' | 'okOnly';
  readonly enabled: boolean;
}

/** docs/portal-interface.md, "Settings" */
export interface InformationalBanner {
  readonly text: string;
  /** Colour name or hexadecimal value. */
  readonly bgColor: string;
  readonly fontColor: string;
  readonly enabled: boolean;
}

/** docs/portal-interface.md, "Settings"; properties not named here are sent as they are. */
export interface PortalConfigProperties {
  /** URL of a tiled map service in WGS84 (WKID 4326) that sets the extent of a web map. */
  readonly extentService?: string;
  /** @default [] */
  readonly footerLinks?: readonly unknown[];
  readonly gcsBasemapService?: string;
  readonly httpsDomains?: readonly string[];
  /** @format minutes @default 20160 */
  readonly longTokenExpiration?: number;
  /** @format minutes @default 120 */
  readonly tokenExpiration?: number;
  /** @default false */
  readonly restrictOrganizationPageToAdmin?: boolean;
  /** @default true */
  readonly searchPlatformOnlineEnabled?: boolean;
  /** @default true */
  readonly showCreateDashboard?: boolean;
  /** Application titles; lost on upgrade. */
  readonly showInAppLauncher?: readonly string[];
  /** @default true */
  readonly sceneViewerEnabled?: boolean;
  readonly surveyUrl?: string;
  /** @default true */
  readonly webAppBuilderEnabled?: boolean;
  /** Host name of a proxy; false for a disconnected environment. */
  readonly configurePortalCloudEnv?: string | false;
  /** @default true */
  readonly portalCloudConfigEnabled?: boolean;
  /** @default true */
  readonly portalCatalogConfigEnabled?: boolean;
  /** From 11.1; refused below. */
  readonly iotViewerUrl?: string;
  readonly [more: string]: unknown;
}

export interface SettingsUpdate {
  readonly anonymousAccessNotice?: AccessNotice;
  /** The hosted deployment only; refused for others. */
  readonly authenticatedAccessNotice?: AccessNotice;
  readonly informationalBanner?: InformationalBanner;
  /** From 11.0, self-managed portals only; refused below. */
  readonly portalConfigProperties?: PortalConfigProperties;
  /** Empty objects become null. @default not sent */
  readonly clearEmptyFields?: boolean;
  readonly version: PortalVersion;
  /** Whether the portal is self-managed, as it says of itself; undefined lets the portal decide. */
  readonly isPortal?: boolean;
}

/** The organization's settings as they stand, whole. docs/portal-interface.md, "Settings" */
export const readSettings = async (
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<Record<string, unknown>> =>
  portal.call(
    { operation: 'settings.read', path: pathOf`portals/${portalId}/settings`, schema: anyObject },
    options,
  );

/**
 * Sets notices, banner and advanced properties; each object is one form field holding JSON.
 * docs/portal-interface.md, "Settings"
 *
 * @throws PortolanError NOT_SUPPORTED for what this release or deployment would ignore in silence
 */
export async function updateSettings(
  portal: Portal,
  portalId: string,
  update: SettingsUpdate,
  options?: CallOptions,
): Promise<void> {
  const ignored = ignoredIn(update);
  if (ignored) {
    throw new PortolanError('NOT_SUPPORTED', `${portal.name} ${ignored}.`, {
      portal: portal.name,
      operation: 'settings.update',
    });
  }
  await portal.call(
    {
      operation: 'settings.update',
      method: 'POST',
      path: pathOf`portals/${portalId}/settings/update`,
      params: {
        anonymousAccessNotice: json(update.anonymousAccessNotice),
        authenticatedAccessNotice: json(update.authenticatedAccessNotice),
        informationalBanner: json(update.informationalBanner),
        portalConfigProperties: json(update.portalConfigProperties),
        clearEmptyFields: update.clearEmptyFields,
      },
      schema: z.looseObject({ success: flag }),
    },
    options,
  );
}

/** Why a part of an update would have no effect on this portal; undefined where all of it has. */
function ignoredIn({ isPortal, version, ...update }: SettingsUpdate): string | undefined {
  if (update.authenticatedAccessNotice && isPortal === true) {
    return 'is self-managed; only the hosted deployment has an authenticatedAccessNotice';
  }
  if (!update.portalConfigProperties) return undefined;
  if (isPortal === false) return 'is the hosted deployment, which has no portalConfigProperties';
  const { portalConfigProperties, iotViewerUrl } = settingsSince;
  if (!atLeast(version, portalConfigProperties)) {
    return `takes portalConfigProperties from ${portalConfigProperties} on`;
  }
  const tooNew = update.portalConfigProperties.iotViewerUrl !== undefined && !atLeast(version, iotViewerUrl);
  return tooNew ? `takes iotViewerUrl from ${iotViewerUrl} on` : undefined;
}

const json = (value: object | undefined): string | undefined => (value ? JSON.stringify(value) : undefined);
