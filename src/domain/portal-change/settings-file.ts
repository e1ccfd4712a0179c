import { jsonText } from '../../model/text/plain-text';
import { yamlText } from '../../model/text/yaml';
import { z } from 'zod';
import { problemLines } from '../../config/problems';
import {
  type SettingField,
  settingField,
  settingObject,
  type SettingObjectName,
  settingObjectNames,
  settingValue,
} from '../../model/portal-change/portal-settings';
import { toRecord } from '../../portal/http/reading';
import { hasSetting, type SettingValues } from '../../portal/resources/settings';
import type { Found, FoundPortal } from './portal-document';
import { isUnset, type Settings } from './setting-values';

/** Of which portal a file is an export. */
const exported = z.strictObject({
  portal: z.string(),
  url: z.string(),
  /** @default not known */
  version: z
    .string('write the version in quotes')
    .regex(/^\d+(\.\d+)*/, 'is not a version such as "11.2"')
    .optional(),
});
type Exported = z.infer<typeof exported>;

/** What a file of this portal's settings says of where it comes from. */
export const exportedOf = ({ name, url, version }: FoundPortal): Exported => ({
  portal: name,
  url,
  version: version?.text,
});

export interface SettingsFile {
  readonly desired: Settings;
  readonly exported?: Exported;
  readonly warnings: readonly string[];
}

/** One published table spells it so; no portal is known to take it. */
const MISSPELT = 'acceptAndDecilne';
const correctedButtons = (given: unknown): unknown => (given === MISSPELT ? 'acceptAndDecline' : given);

/** A value that a file can set; null clears it. */
function valueIn(object: SettingObjectName, { type, isNeeded }: SettingField): z.ZodType {
  const value: z.ZodType =
    type === 'buttons' ? z.preprocess(correctedButtons, settingValue.buttons) : settingValue[type];
  if (!isNeeded) return value.nullable();
  const error = `cannot be cleared on its own; write ${object}: null to clear all of it`;
  return z
    .unknown()
    .refine((given): boolean => given !== null, { error, abort: true })
    .pipe(value);
}

/** All settings that a file can have, by the settings table. */
const settingsOfFile = z.strictObject({
  exported: exported.optional(),
  ...Object.fromEntries(
    settingObjectNames.map((object) => {
      const fields = Object.entries<SettingField>(settingObject(object).fields);
      const values = fields.map(([name, field]) => [name, valueIn(object, field).optional()]);
      return [
        object,
        z
          .strictObject(Object.fromEntries(values), 'write its values below it, or null to clear it')
          .nullish(),
      ];
    }),
  ),
});

/** The settings of a file's content, and all that is wrong with it, one line each with its place. */
export function parseSettings(content: unknown): {
  readonly settings: SettingsFile;
  readonly problems: readonly string[];
} {
  const given = toRecord(content) ?? {};
  if (Object.keys(given).length === 0) {
    const needed = `the file: contains no settings; write at least one of ${settingObjectNames.join(', ')}`;
    return { settings: { desired: {}, warnings: [] }, problems: [needed] };
  }
  const { data, error } = settingsOfFile.safeParse(given);
  const { exported: from, ...desired } = data ?? {};
  const misspelt = settingObjectNames.filter((name) => toRecord(given[name])?.['buttons'] === MISSPELT);
  const warnings = misspelt.map(
    (name) => `${name}.buttons: ${MISSPELT} is misspelled; acceptAndDecline is sent`,
  );
  return {
    settings: { desired, warnings, exported: from },
    problems: error ? problemLines(error, '', knownAt) : [],
  };
}

/** Names that can be at a place of a file. */
const knownAt = ([object]: readonly PropertyKey[]): readonly string[] =>
  object === undefined
    ? ['exported', ...settingObjectNames]
    : Object.keys(settingObject(object as SettingObjectName).fields);

/** A file of these settings. Of the same settings it is always the same text. */
export function settingsText(from: Exported, settings: Settings, form: 'yaml' | 'json'): string {
  const content = { exported: from, ...settings };
  if (form === 'json') return `${jsonText(content, 2)}\n`;
  return yamlText(content, [
    `Settings of ${from.portal} (${from.url}), version ${from.version ?? 'unknown'}.`,
    'Omitted settings stay unchanged; null clears. All settings: docs/reference/settings.md',
  ]);
}

/**
 * All that a portal can be set, as a file has it: what is not set is null, and what cannot be cleared alone is left
 * out. Names what the portal has besides.
 */
export function fileSettings(portal: Found<Settings>): {
  readonly settings: Settings;
  readonly unknown: readonly string[];
} {
  const had = settingObjectNames.filter((object) => portal.value[object] !== undefined);
  return {
    settings: Object.fromEntries(had.map((object) => [object, fileObject(portal, object)])),
    unknown: had.flatMap((object) =>
      Object.keys(portal.value[object] ?? {})
        .filter((name) => settingField(object, name) === undefined)
        .map((name) => `${object}.${name}`),
    ),
  };
}

function fileObject(portal: Found<Settings>, object: SettingObjectName): SettingValues | null {
  const values = portal.value[object];
  if (!values) return null;
  const entries = Object.entries(settingObject(object).fields).flatMap(([name, field]) => {
    const value = values[name];
    if (!isUnset(field, value)) return [[name, value] as const];
    return field.isNeeded || !hasSetting(object, name, portal) ? [] : [[name, null] as const];
  });
  return Object.fromEntries(entries);
}
