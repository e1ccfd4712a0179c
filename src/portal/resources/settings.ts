import { z } from 'zod';
import {
  settingField,
  settingObject,
  type SettingObjectName,
  settingObjectNames,
} from '../../model/portal-change/portal-settings';
import type { Portal } from '../client';
import { pathOf } from '../http/address';
import { anyObject, flag } from '../http/reading';
import type { CallOptions } from '../http/request';
import { portalError } from '../http/response-limits';
import { atLeast, type PortalVersion } from '../http/versions';

/** What decides which settings a portal has. */
interface SettingsHolder {
  readonly version: PortalVersion;
  /** Whether the portal is self-managed, as it says of itself; undefined lets the portal decide. */
  readonly isPortal?: boolean;
}

/** Values of one object of settings; an empty one clears it, together with `clearEmptyFields`. */
export type SettingValues = Readonly<Record<string, unknown>>;
export type SettingObjects = Readonly<Partial<Record<SettingObjectName, SettingValues>>>;

/** The organization's settings as they stand, whole. docs/reference/portal-interface.md, "Settings" */
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
 * Sets objects, each as a whole and one form field holding JSON; an empty one is cleared. What is not named stays.
 * docs/reference/portal-interface.md, "Settings"
 *
 * @throws PortolanError NOT_SUPPORTED for what this release or deployment would ignore in silence
 */
export async function writeSettings(
  portal: Portal,
  portalId: string,
  objects: SettingObjects,
  holder: SettingsHolder,
  options?: CallOptions,
): Promise<void> {
  const [reason] = unsupportedSettings(objects, holder);
  if (reason !== undefined) throw portalError('NOT_SUPPORTED', portal.name, 'settings.update', reason);
  const clears = Object.values(objects).some((values) => Object.keys(values).length === 0);
  const json = (name: SettingObjectName) => [name, objects[name] && JSON.stringify(objects[name])] as const;
  await portal.call(
    {
      operation: 'settings.update',
      method: 'POST',
      path: pathOf`portals/${portalId}/settings/update`,
      params: { ...Object.fromEntries(settingObjectNames.map(json)), clearEmptyFields: clears || undefined },
      schema: z.looseObject({ success: flag }),
    },
    options,
  );
}

/**
 * Why parts of these would have no effect on a portal, as words behind its name: `takes iotViewerUrl from 11.1 on`.
 * A value that is null, or not set, asks nothing of it.
 */
export const unsupportedSettings = (
  objects: Readonly<Partial<Record<SettingObjectName, SettingValues | null>>>,
  holder: SettingsHolder,
): string[] =>
  settingObjectNames.flatMap((name) => {
    const values = objects[name];
    if (!values || isAllNull(values)) return [];
    const whole = unsupportedObject(name, holder);
    if (whole !== undefined) return [whole];
    return Object.keys(values).flatMap((field) => {
      const since = settingField(name, field)?.since;
      const isAsked = values[field] !== undefined && values[field] !== null;
      return since && isAsked && !atLeast(holder.version, since)
        ? [`accepts ${field} only from version ${since}`]
        : [];
    });
  });

const isAllNull = (values: SettingValues): boolean => {
  const all = Object.values(values);
  return all.length > 0 && all.every((value) => value === null);
};

/** Why a portal has no such object, as words behind its name; undefined where it has it. */
export function unsupportedObject(
  name: SettingObjectName,
  { version, isPortal }: SettingsHolder,
): string | undefined {
  const { only, since } = settingObject(name);
  if (only === 'hosted' && isPortal === true) {
    return `is ArcGIS Enterprise; only ArcGIS Online has ${name}`;
  }
  if (only === 'self-managed' && isPortal === false) return `is ArcGIS Online, which has no ${name}`;
  return atLeast(version, since) ? undefined : `accepts ${name} only from version ${since}`;
}

/** Whether a portal has this value. */
export const hasSetting = (object: SettingObjectName, field: string, holder: SettingsHolder): boolean =>
  unsupportedSettings({ [object]: { [field]: true } }, holder).length === 0;
