import { categoryDifferences } from '../../domain/portal-change/categories/category-differences';
import { lookHash, settingChanges } from '../../domain/portal-change/settings/differences';
import {
  type DesiredSettings,
  desiredNote,
  isSame,
} from '../../domain/portal-change/settings/settings-values';
import { StagePortal } from '../../domain/release/stage-portal';
import { PortolanError } from '../../model/errors/errors';
import {
  categorySchema,
  type CategorySchemaInput,
  schemaHash,
} from '../../model/portal-change/category-schema';
import { type SettingObjectName, settingObjectNames } from '../../model/portal-change/portal-settings';
import type { SettingsInput } from '../../model/portal-change/settings-change';
import type { PromotionEntry } from '../../model/release/promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import { type WholePlan, wholePlan } from '../../model/release/whole-plan';
import { type FieldChange, runRecord } from '../../model/run/run';
import { isPartOf } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { stopSignal } from '../attempt/heartbeat';
import { openPortalRef } from '../portal-change/portal-ref';

/** How many changes a plan lists, and the longest value of one. @format characters */
const LISTED_MAX = 30;
const VALUE_MAX = 200;

/** Input of the run that changes the portal, besides its common fields. */
export type DesiredChange =
  Pick<SettingsInput, 'expected' | 'warnings'> | Pick<CategorySchemaInput, 'expected' | 'operation'>;

/** The change to make; `isSame`: nothing to change. */
export type Desire =
  | { readonly isSame: true; readonly warnings: string[] }
  | { readonly isSame: false; readonly warnings: string[]; readonly change: DesiredChange };

/** Settings and category schema of a stage's portal: how a promotion changes them and rolls them back. */
export class PromotedPortal {
  constructor(private readonly deps: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots'>) {}

  /** What would change on the portal. Writes nothing. */
  async changes(input: PromotionInput): Promise<Pick<WholePlan, 'settings' | 'categories'>> {
    const settings = input.settings ? await this.at(input).settingsOf(input.release.id) : undefined;
    const categories = input.categories ? await this.at(input).categoriesOf(input.release.id) : undefined;
    return {
      settings: settings && { expected: lookHash(settings.changes), changes: listed(settings.changes) },
      categories: categories && {
        expected: schemaHash(categories.found),
        changes: listed(categoryDifferences(categories.found, categories.desired)),
      },
    };
  }

  /** The portal changes of a rollback, from the records of the runs that made them. */
  async undoneChanges(by: Pick<PromotionEntry, 'settings' | 'categories'>): Promise<FieldChange[]> {
    const runs = [by.settings, by.categories].filter((runId) => runId !== undefined);
    const read = (runId: string) => this.deps.store.readJson(keys.record(runId), runRecord);
    const records = await Promise.all(runs.map(read));
    const made = records.flatMap((record) => record?.changes ?? []);
    return listed(made.map(({ path, before, after }) => ({ path, before: after, after: before })));
  }

  /** Throws PLAN_CHANGED if it is not what was approved. */
  async desireOfRelease(
    input: PromotionInput,
    { part, plan }: { readonly part: string; readonly plan: string },
  ): Promise<Desire> {
    const { store } = this.deps;
    const approved = await store.readJson(keys.wholePlan(input.runId, plan), wholePlan);
    if (part.startsWith('settings-')) {
      const { desired, changes, warnings } = await this.at(input).settingsOf(input.release.id);
      if (changes.length === 0) return { isSame: true, warnings };
      const expected = lookHash(changes);
      if (expected !== approved?.settings?.expected) throw changedMeanwhile(input, 'settings');
      await store.writeJson(keys.desired(part), desired);
      return { isSame: false, warnings, change: { expected, warnings } };
    }
    const { desired, found } = await this.at(input).categoriesOf(input.release.id);
    const expected = schemaHash(found);
    if (expected === schemaHash(desired)) return { isSame: true, warnings: [] };
    if (expected !== approved?.categories?.expected) throw changedMeanwhile(input, 'category schema');
    await store.writeJson(keys.desired(part), { categorySchema: desired });
    return {
      isSame: false,
      warnings: [],
      change: { expected, operation: desired.length > 0 ? 'apply' : 'delete' },
    };
  }

  /** Leaves out what someone has changed since, with a warning. */
  async desireAsBefore(
    input: PromotionInput,
    { part, undone }: { readonly part: string; readonly undone: string },
  ): Promise<Desire> {
    const wholes = [input.runId, input.undoes ?? ''];
    if (!wholes.some((whole) => isPartOf(undone, whole)))
      throw new PortolanError('INTERNAL', `${undone} is not the promotion being rolled back`);
    return undone.startsWith('settings-')
      ? await this.settingsBefore(input, part, undone)
      : await this.categoriesBefore(input, part, undone);
  }

  private async settingsBefore(input: PromotionInput, part: string, undone: string): Promise<Desire> {
    const { store } = this.deps;
    const before = (await store.readJson(keys.before(undone), desiredNote)) ?? {};
    const set = (await store.readJson(keys.desired(undone), desiredNote)) ?? {};
    const { live } = await this.at(input).live();
    const warnings: string[] = [];
    const desired: Record<string, DesiredSettings[SettingObjectName]> = {};
    for (const object of settingObjectNames) {
      const values = before[object];
      if (values === undefined) continue;
      const names = Object.keys(values ?? set[object] ?? {});
      const isTouched = (name: string): boolean =>
        !isSame(object, name, live[object]?.[name], set[object]?.[name]);
      const touched = names.filter(isTouched);
      warnings.push(
        ...touched.map((name) => `${object}.${name} has changed since; Portolan leaves it unchanged`),
      );
      if (values === null) {
        if (touched.length === 0) desired[object] = null;
        continue;
      }
      desired[object] = Object.fromEntries(
        Object.entries(values).filter(([name]) => !touched.includes(name)),
      );
    }
    const changes = settingChanges(live, desired);
    if (changes.length === 0) return { isSame: true, warnings };
    await store.writeJson(keys.desired(part), desired);
    return { isSame: false, warnings, change: { expected: lookHash(changes), warnings } };
  }

  private async categoriesBefore(input: PromotionInput, part: string, undone: string): Promise<Desire> {
    const { store } = this.deps;
    const before = (await store.readJson(keys.before(undone), categorySchema))?.categorySchema ?? [];
    const set = (await store.readJson(keys.desired(undone), categorySchema))?.categorySchema ?? [];
    const found = await this.at(input).liveCategories();
    const expected = schemaHash(found);
    if (expected === schemaHash(before)) return { isSame: true, warnings: [] };
    if (expected !== schemaHash(set))
      return {
        isSame: true,
        warnings: ['the category schema has changed since; Portolan leaves it unchanged'],
      };
    await store.writeJson(keys.desired(part), { categorySchema: before });
    return {
      isSame: false,
      warnings: [],
      change: { expected, operation: before.length > 0 ? 'apply' : 'delete' },
    };
  }

  private at({ route }: PromotionInput): StagePortal {
    const portal = openPortalRef(this.deps.portals, route.target);
    return new StagePortal(portal, this.deps.snapshots.releases, { signal: stopSignal() });
  }
}

const changedMeanwhile = ({ route }: PromotionInput, what: string): PortolanError =>
  new PortolanError('PLAN_CHANGED', `the ${what} of ${route.target.portal} changed after the approval`);

const listed = (changes: readonly FieldChange[]): FieldChange[] =>
  changes
    .slice(0, LISTED_MAX)
    .map(({ path, before, after }) => ({ path, before: cut(before), after: cut(after) }));

const cut = (value: unknown): unknown => {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX - 2)}..` : value;
};
