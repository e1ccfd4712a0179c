import { isDeepStrictEqual } from 'node:util';
import {
  colorOf,
  type SettingField,
  settingField,
  settingObject,
  type SettingObjectName,
  settingObjectNames,
} from '../../model/portal-change/portal-settings';
import type { BannerRecord, FieldChange } from '../../model/run/run';
import { toFlag, toNumber } from '../../portal/http/reading';
import type { SettingValues } from '../../portal/resources/settings';

/**
 * Settings of a portal: null where an object or a value is not set. Of those to write, what is absent stays as it is,
 * and null clears.
 */
export type Settings = Readonly<Partial<Record<SettingObjectName, SettingValues | null>>>;

/** One value of an object that differs. */
export interface SettingChange extends FieldChange {
  readonly object: SettingObjectName;
  readonly name: string;
}

/** What would change on a portal, in the order of the table. Empty if it has all that is wanted. */
export function settingChanges(now: Settings, wanted: Settings): SettingChange[] {
  return settingObjectNames.flatMap((object) => {
    const [live, values] = [now[object] ?? null, wanted[object]];
    if (values === undefined) return [];
    const known = Object.keys(settingObject(object).fields);
    return Object.keys(values ?? live ?? {})
      .sort((one, other) => known.indexOf(one) - known.indexOf(other))
      .map((name) => ({
        object,
        name,
        path: `${object}.${name}`,
        before: live?.[name] ?? undefined,
        after: values?.[name] ?? undefined,
      }))
      .filter(({ name, before, after }) => !isSame(object, name, before, after));
  });
}

/** What an object becomes: its values, replaced by those that are wanted. An empty one is cleared. */
export function mergedObject(
  live: SettingValues | null | undefined,
  wanted: SettingValues | null,
): Record<string, unknown> {
  if (wanted === null) return {};
  const whole = Object.entries({ ...live, ...wanted });
  return Object.fromEntries(whole.filter(([, value]) => value !== null && value !== undefined));
}

/** Values that an object needs and neither the portal nor the change has: paths. */
export const missingParts = (now: Settings, wanted: Settings): string[] =>
  settingObjectNames.flatMap((object) => {
    const values = wanted[object];
    const isNew = values && !now[object] && Object.values(values).some((value) => value !== null);
    if (!isNew) return [];
    return Object.entries<SettingField>(settingObject(object).fields)
      .filter(([name, { isNeeded }]) => isNeeded && (values[name] ?? undefined) === undefined)
      .map(([name]) => `${object}.${name}`);
  });

/** Whether two values of one setting mean the same: not set is the default, and colors have several spellings. */
export function isSame(object: SettingObjectName, name: string, one: unknown, other: unknown): boolean {
  const field = settingField(object, name);
  return isDeepStrictEqual(meaningOf(field, one), meaningOf(field, other));
}

/** Whether a value counts as not set. */
export const isUnset = (field: SettingField | undefined, value: unknown): boolean =>
  value === undefined || value === null || (value === '' && field?.type !== 'text');

function meaningOf(field: SettingField | undefined, value: unknown): unknown {
  if (isUnset(field, value) || value === '') return field?.default ?? null;
  switch (field?.type) {
    case 'boolean':
      return toFlag(value) ?? value;
    case 'minutes':
      return toNumber(value) ?? value;
    case 'color':
      return (typeof value === 'string' ? colorOf(value)?.join() : undefined) ?? value;
    case 'text or false':
      return toFlag(value) === false ? false : value;
    default:
      return value;
  }
}

const bannerParts = ['text', 'bgColor', 'fontColor', 'enabled'] as const;

/** Whether two banners look the same, however a portal spells their colors. Of hidden ones only the text counts. */
export function sameBanner(one: BannerRecord | null, other: BannerRecord | null): boolean {
  const compared = one?.enabled || other?.enabled ? bannerParts : (['text'] as const);
  return compared.every((name) =>
    isSame('informationalBanner', name, one?.[name] ?? '', other?.[name] ?? ''),
  );
}
