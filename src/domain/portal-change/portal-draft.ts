import { type Category, schemaHash } from '../../model/portal-change/category-schema';
import { type SettingObjectName, settingObjectNames } from '../../model/portal-change/portal-settings';
import type { FieldChange } from '../../model/run/run';
import { categoryDifferences } from './categories/category-differences';
import { lookHash, settingChanges } from './settings/differences';
import { type DesiredSettings, isSame, type LiveSettings } from './settings/settings-values';

/** A change of a portal's settings or category schema that no run has made yet. */
export interface PortalDraft {
  /** What the run writes, as its file in the store has it. */
  readonly desired: object;
  /** None if the portal has it already. */
  readonly changes: readonly FieldChange[];
  /** Fingerprint of what is replaced: what differs from it by then is left unchanged. */
  readonly expected: string;
  /** What is left out, for people. */
  readonly warnings: string[];
  readonly operation?: 'apply' | 'delete';
}

export function settingsDraft(live: LiveSettings, desired: DesiredSettings, warnings: string[]): PortalDraft {
  const changes = settingChanges(live, desired);
  return { desired, changes, expected: lookHash(changes), warnings };
}

export const categoriesDraft = (found: readonly Category[], desired: readonly Category[]): PortalDraft => ({
  desired: { categorySchema: desired },
  changes: categoryDifferences(found, desired),
  expected: schemaHash(found),
  warnings: [],
  operation: desired.length > 0 ? 'apply' : 'delete',
});

/** What a portal had before a run changed it, and what that run wrote. */
interface Undone<Content> {
  readonly before: Content;
  readonly set: Content;
}

/** Restores each setting that is still as the run wrote it. */
export function settingsAsBefore(live: LiveSettings, { before, set }: Undone<DesiredSettings>): PortalDraft {
  const warnings: string[] = [];
  const desired: Record<string, DesiredSettings[SettingObjectName]> = {};
  for (const object of settingObjectNames) {
    const values = before[object];
    if (values === undefined) continue;
    const isTouched = (name: string): boolean =>
      !isSame(object, name, live[object]?.[name], set[object]?.[name]);
    const touched = Object.keys(values ?? set[object] ?? {}).filter(isTouched);
    warnings.push(
      ...touched.map((name) => `${object}.${name} has changed since; Portolan leaves it unchanged`),
    );
    if (values !== null)
      desired[object] = Object.fromEntries(
        Object.entries(values).filter(([name]) => !touched.includes(name)),
      );
    else if (touched.length === 0) desired[object] = null;
  }
  return settingsDraft(live, desired, warnings);
}

/** Restores the schema if it is still as the run wrote it. */
export function categoriesAsBefore(
  found: readonly Category[],
  { before, set }: Undone<readonly Category[]>,
): PortalDraft {
  const draft = categoriesDraft(found, before);
  if (draft.changes.length === 0 || schemaHash(found) === schemaHash(set)) return draft;
  return {
    ...draft,
    changes: [],
    warnings: ['the category schema has changed since; Portolan leaves it unchanged'],
  };
}

/** How many changes a record or plan lists, and the longest value of one. The store has all. */
const LISTED_MAX = 30;
const VALUE_MAX = 200;

/** The first changes, with long values cut, for records and plans. */
export const listedChanges = (changes: readonly FieldChange[]): FieldChange[] =>
  changes
    .slice(0, LISTED_MAX)
    .map(({ path, before, after }) => ({ path, before: cut(before), after: cut(after) }));

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX - 2)}..` : value;
}
