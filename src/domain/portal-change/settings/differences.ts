import { createHash } from 'node:crypto';
import type { FieldChange } from '../../../model/run/run';
import {
  settingField,
  settingObject,
  type SettingObjectName,
  settingObjectNames,
} from '../../../model/portal-change/portal-settings';
import type { SettingValues } from '../../../portal/resources/settings';
import { isSame, type LiveSettings, type DesiredSettings } from './settings-values';

/** One value of an object that differs. */
export interface SettingChange extends FieldChange {
  readonly object: SettingObjectName;
  readonly name: string;
}

/** What an object becomes: what is there, with what is desired put over it. An empty one is cleared. */
export function mergedObject(
  live: SettingValues | null | undefined,
  desired: SettingValues | null,
): Record<string, unknown> {
  if (desired === null) return {};
  const whole = Object.entries({ ...live, ...desired });
  return Object.fromEntries(whole.filter(([, value]) => value !== null && value !== undefined));
}

/** What would change on a portal, in the order of the table. Empty where it has all that is desired. */
export const settingChanges = (live: LiveSettings, desired: DesiredSettings): SettingChange[] =>
  settingObjectNames.flatMap((object) => {
    const values = desired[object];
    return values === undefined ? [] : objectChanges(object, live[object] ?? null, values);
  });

/** What would change of one object; see `settingChanges`. */
export function objectChanges(
  object: SettingObjectName,
  live: SettingValues | null,
  desired: SettingValues | null,
): SettingChange[] {
  const names = desired === null ? Object.keys(live ?? {}) : Object.keys(desired);
  const known = Object.keys(settingObject(object).fields);
  const inOrder = [...names].sort((one, other) => known.indexOf(one) - known.indexOf(other));
  return inOrder.flatMap((name) => {
    const [before, after] = [live?.[name] ?? undefined, desired?.[name] ?? undefined];
    if (isSame(object, name, before, after)) return [];
    return [{ object, name, path: `${object}.${name}`, before, after }];
  });
}

/** The objects that changes are of. */
export const objectsOf = (changes: readonly SettingChange[]): SettingObjectName[] =>
  settingObjectNames.filter((name) => changes.some(({ object }) => object === name));

/** Settings that undo these changes: each value as it was, and an object that was not there cleared. */
export function settingsBefore(live: LiveSettings, changes: readonly SettingChange[]): DesiredSettings {
  const before = (object: SettingObjectName): SettingValues | null => {
    if (!live[object]) return null;
    const mine = changes.filter((change) => change.object === object);
    return Object.fromEntries(mine.map((change) => [change.name, change.before ?? null]));
  };
  return Object.fromEntries(objectsOf(changes).map((object) => [object, before(object)]));
}

/** Tells whether what is to change is what somebody was shown. */
export const lookHash = (changes: readonly FieldChange[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(changes.map(({ path, before, after }) => [path, canonical(before), canonical(after)])),
    )
    .digest('hex');

/** The same for objects whose keys stand in another order; what is not set is null. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, canonical(inner)]);
};

/** What a portal must be given with an object that it does not have yet, and is not: paths. */
export const missingParts = (live: LiveSettings, desired: DesiredSettings): string[] =>
  settingObjectNames.flatMap((object) => {
    const values = desired[object];
    const isNew = values && !live[object] && Object.values(values).some((value) => value !== null);
    if (!isNew) return [];
    const { fields } = settingObject(object);
    return Object.keys(fields)
      .filter((name) => fields[name]?.isNeeded && (values[name] ?? undefined) === undefined)
      .map((name) => `${object}.${name}`);
  });

/**
 * Changes that a portal does not show although it was given them. A value that was cleared, and whose default is not
 * known, may have become anything but what it was.
 */
export const notTaken = (
  live: LiveSettings,
  desired: DesiredSettings,
  before: DesiredSettings,
): SettingChange[] =>
  settingChanges(live, desired).filter(({ object, name, before: shown, after }) => {
    const isCleared = after === undefined && settingField(object, name)?.default === undefined;
    return !isCleared || isSame(object, name, shown, before[object]?.[name]);
  });
