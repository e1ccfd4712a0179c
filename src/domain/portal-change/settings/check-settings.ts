import { problemLines, unknownSetting } from '../../../config/problems';
import {
  type SettingField,
  settingField,
  settingObject,
  type SettingObjectName,
  settingObjectNames,
} from '../../../model/portal-change/portal-settings';
import { settingValue } from '../../../model/portal-change/setting-schemas';
import { toRecord } from '../../../portal/http/reading';
import type { DesiredSettings } from './settings-values';

/** What somebody wrote, as far as it can be used, and all that is wrong with it. */
export interface CheckedSettings {
  readonly desired: DesiredSettings;
  /** One line each, with its path. Where there is one, nothing of it is to be used. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Findings = { problems: string[]; warnings: string[] };

/** Checks objects of settings as a whole against the table; what else they stand beside is not looked at. */
export function checkSettings(given: Readonly<Record<string, unknown>>): CheckedSettings {
  const findings: Findings = { problems: [], warnings: [] };
  const desired: Partial<Record<SettingObjectName, Record<string, unknown> | null>> = {};
  for (const name of settingObjectNames) {
    if (!Object.hasOwn(given, name)) continue;
    const values = given[name];
    if (values === null) {
      desired[name] = null;
      continue;
    }
    const object = toRecord(values);
    if (object) desired[name] = checkObject(name, object, findings);
    else findings.problems.push(`${name}: write its values below it, or null to clear it`);
  }
  return { desired, ...findings };
}

function checkObject(
  object: SettingObjectName,
  values: Readonly<Record<string, unknown>>,
  findings: Findings,
): Record<string, unknown> {
  const checked = Object.entries(values).map(([name, given]) => {
    const path = `${object}.${name}`;
    const field = settingField(object, name);
    if (!field) {
      findings.problems.push(unknownSetting(path, name, Object.keys(settingObject(object).fields)));
      return [name, given];
    }
    const value = field.type === 'buttons' ? correctedButtons(path, given, findings) : given;
    findings.problems.push(...problemsOf(object, path, field, value));
    return [name, value];
  });
  return Object.fromEntries(checked) as Record<string, unknown>;
}

function problemsOf(object: SettingObjectName, path: string, field: SettingField, value: unknown): string[] {
  if (value === null) {
    return field.isNeeded
      ? [`${path}: cannot be cleared on its own; write ${object}: null to clear all of it`]
      : [];
  }
  const { error } = settingValue[field.type].safeParse(value);
  return error ? problemLines(error, '').map((line) => below(path, line)) : [];
}

/** A problem of what stands at a path; the place within a list is a part of the path. */
export const below = (path: string, line: string): string =>
  line.startsWith(':') ? `${path}${line}` : `${path}.${line}`;

/** One published table spells it so; no portal is known to take it. */
const MISSPELT = 'acceptAndDecilne';

function correctedButtons(path: string, value: unknown, { warnings }: Findings): unknown {
  if (value !== MISSPELT) return value;
  warnings.push(`${path}: ${MISSPELT} is misspelled; acceptAndDecline is sent`);
  return 'acceptAndDecline';
}
