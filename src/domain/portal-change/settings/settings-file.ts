import { jsonText } from '../../../model/text/plain-text';
import { yamlText } from '../../../model/text/yaml-text';
import { z } from 'zod';
import { problemLines, unknownSetting } from '../../../config/problems';
import {
  settingField,
  settingObject,
  type SettingObjectName,
  settingObjectNames,
} from '../../../model/portal-change/portal-settings';
import { toRecord } from '../../../portal/http/reading';
import { hasSetting, type SettingsHolder, type SettingValues } from '../../../portal/resources/settings';
import { below, checkSettings } from './check-settings';
import { isUnset, type LiveSettings, type DesiredSettings } from './settings-values';

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
export type Exported = z.infer<typeof exported>;

export interface SettingsFile {
  readonly desired: DesiredSettings;
  readonly exported?: Exported;
  readonly warnings: readonly string[];
}

/** The settings of a file's content, and all that is wrong with it, one line each with its place. */
export function parseSettings(content: unknown): {
  readonly settings: SettingsFile;
  readonly problems: readonly string[];
} {
  const given = toRecord(content);
  if (!given || Object.keys(given).length === 0) {
    const needed = `the file: contains no settings; write at least one of ${settingObjectNames.join(', ')}`;
    return { settings: { desired: {}, warnings: [] }, problems: [needed] };
  }
  const known = ['exported', ...settingObjectNames];
  const unknown = Object.keys(given)
    .filter((key) => !known.includes(key))
    .map((key) => unknownSetting(key, key, known));
  const from = exported.optional().safeParse(given['exported']);
  const checked = checkSettings(given);
  return {
    settings: { desired: checked.desired, warnings: checked.warnings, exported: from.data },
    problems: [
      ...unknown,
      ...(from.error ? problemLines(from.error, '').map((line) => below('exported', line)) : []),
      ...checked.problems,
    ],
  };
}

/** A file of these settings. Of the same settings it is always the same text. */
export function settingsText(from: Exported, settings: LiveSettings, form: 'yaml' | 'json'): string {
  const content = { exported: from, ...settings };
  if (form === 'json') return `${jsonText(content, 2)}\n`;
  return yamlText(content, [
    `Settings of ${from.portal} (${from.url}), version ${from.version ?? 'unknown'}.`,
    'Omitted settings stay unchanged; null clears. All settings: docs/reference/settings.md',
  ]);
}

/** A portal's settings with what decides which of them it has. */
type Holding = SettingsHolder & { readonly live: LiveSettings };

/**
 * All that a portal can be set, as a file has it: what is not set is null, and what cannot be cleared alone is left
 * out. Names what the portal has besides.
 */
export function fileSettings(portal: Holding): {
  readonly settings: LiveSettings;
  readonly unknown: readonly string[];
} {
  const had = settingObjectNames.filter((object) => portal.live[object] !== undefined);
  return {
    settings: Object.fromEntries(had.map((object) => [object, fileObject(portal, object)])),
    unknown: had.flatMap((object) =>
      Object.keys(portal.live[object] ?? {})
        .filter((name) => settingField(object, name) === undefined)
        .map((name) => `${object}.${name}`),
    ),
  };
}

function fileObject(portal: Holding, object: SettingObjectName): SettingValues | null {
  const values = portal.live[object];
  if (!values) return null;
  const entries = Object.entries(settingObject(object).fields).flatMap(([name, field]) => {
    const value = values[name];
    if (!isUnset(field, value)) return [[name, value] as const];
    return field.isNeeded || !hasSetting(object, name, portal) ? [] : [[name, null] as const];
  });
  return Object.fromEntries(entries);
}

/** What a portal holds that a file with it would be refused for. */
export const exportProblems = (settings: LiveSettings): readonly string[] => checkSettings(settings).problems;
