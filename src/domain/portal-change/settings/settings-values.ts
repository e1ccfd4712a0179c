import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { colorOf } from '../../../model/portal-change/color';
import {
  type SettingField,
  settingField,
  type SettingObjectName,
  settingObjectNames,
} from '../../../model/portal-change/portal-settings';
import type { SettingValues } from '../../../portal/resources/settings';
import { toFlag, toNumber, toRecord } from '../../../portal/http/reading';
import type { BannerRecord } from '../../../model/run/run';
import { isShown } from '../../../portal/resources/banner';

/** Settings as somebody wants them: what is absent stays as it is, null clears. */
export type DesiredSettings = Readonly<Partial<Record<SettingObjectName, SettingValues | null>>>;

/** Settings as a portal has them: null where an object is not set. Objects that it does not have are absent. */
export type LiveSettings = Readonly<Partial<Record<SettingObjectName, SettingValues | null>>>;

/** The objects of the table in a portal's answer; an empty one is not set. */
export function liveSettings(
  answer: Readonly<Record<string, unknown>>,
): Record<SettingObjectName, SettingValues | null> {
  const read = (name: SettingObjectName) => {
    const values = toRecord(answer[name]);
    return [name, values && Object.keys(values).length > 0 ? values : null] as const;
  };
  return Object.fromEntries(settingObjectNames.map(read)) as Record<SettingObjectName, SettingValues | null>;
}

/** Whether two values of one setting mean the same: not set is the default, and colors have several spellings. */
export const isSame = (object: SettingObjectName, name: string, one: unknown, other: unknown): boolean => {
  const field = settingField(object, name);
  return isDeepStrictEqual(meaningOf(field, one), meaningOf(field, other));
};

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
    case 'text':
    case 'buttons':
    case 'url':
    case 'texts':
    case 'links':
    case undefined:
      return value;
  }
}

/** Settings in the store: what a change is to bring about, and what it found. */
export const desiredNote = z.partialRecord(
  z.enum(settingObjectNames),
  z.record(z.string(), z.unknown()).nullable(),
);

const parts = ['text', 'bgColor', 'fontColor', 'enabled'] as const;

/**
 * Whether two banners show the same, however a portal spells their colors and whatever else it keeps with them. Of
 * those that nobody sees only the text counts.
 */
export function sameBanner(one: BannerRecord | null, other: BannerRecord | null): boolean {
  const compared = isShown(one) || isShown(other) ? parts : (['text'] as const);
  return compared.every((name) =>
    isSame('informationalBanner', name, one?.[name] ?? '', other?.[name] ?? ''),
  );
}
