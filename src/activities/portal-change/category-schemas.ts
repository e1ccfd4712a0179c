import { requireCategoryRight } from '../../domain/portal-change/categories/before-change';
import {
  type CategoryDifference,
  categoryDifferences,
} from '../../domain/portal-change/categories/category-differences';
import {
  type Category,
  categorySchema,
  type CategorySchemaInput,
  countCategories,
  schemaHash,
} from '../../model/portal-change/category-schema';
import type { FieldChange } from '../../model/run/run';
import { PortolanError } from '../../model/errors/errors';
import {
  assignCategorySchema as assign,
  deleteCategorySchema as deleteAll,
  readCategorySchema,
} from '../../portal/resources/category-schema';
import type { Portal } from '../../portal/client';
import { readSelf } from '../../portal/resources/portals';
import type { CallOptions } from '../../portal/http/request';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { isRepeat, stopSignal } from '../attempt/heartbeat';
import { openPortalRef } from './portal-ref';
import { writeOnce } from './write-once';

type Input = Pick<CategorySchemaInput, 'runId' | 'operation' | 'portal' | 'expected'>;

/** How many differences a record lists. */
const LISTED_MAX = 30;
/** Longest value in a record. @format characters */
const VALUE_MAX = 300;

const INACCESSIBLE_HINT =
  'The schema still exists, so this account may not delete it. Sign in as an administrator without a custom role.';

/** The current category schema and its differences. */
export interface FoundCategorySchema {
  /** Key of its copy in the store; absent if there was none. */
  readonly saved?: string;
  readonly trees: number;
  readonly categories: number;
  /** Number of differences from the desired schema. */
  readonly differences: number;
  /** The first differences. */
  readonly changes: FieldChange[];
  readonly warnings: string[];
}

/**
 * Reads and saves the current schema, and reports what would change. Writes nothing to the portal.
 *
 * @throws PortolanError PERMISSION_DENIED, TARGET_READ_ONLY; PLAN_CHANGED if it is not the one agreed to change
 */
export async function findCategorySchema(deps: ActivityDeps, input: Input): Promise<FoundCategorySchema> {
  const { portals, store } = deps;
  const { runId, operation, expected } = input;
  const portal = openPortalRef(portals, input.portal);
  await requireAuthority(deps, input);
  const desired = await desiredTrees(store, input);
  const options = { signal: stopSignal() };
  const self = await readSelf(portal, options);
  const warnings = requireCategoryRight(portal.name, self, operation);
  const found = await readCategorySchema(portal, self.id ?? 'self', options);
  requireAsShown(portal, found, expected);
  const saved = found.length > 0 ? keys.before(runId) : undefined;
  if (saved) await store.writeJson(saved, { categorySchema: found });
  const differences = categoryDifferences(found, desired);
  return {
    saved,
    trees: found.length,
    categories: countCategories(found),
    differences: differences.length,
    changes: differences.slice(0, LISTED_MAX).map(changeOf),
    warnings,
  };
}

/**
 * Assigns the desired schema. Safe to repeat.
 *
 * @throws PortolanError PLAN_CHANGED if someone else has changed the schema
 */
export async function assignCategorySchema(deps: ActivityDeps, input: Input): Promise<void> {
  const { portals, store } = deps;
  const portal = openPortalRef(portals, input.portal);
  const desired = await desiredTrees(store, input);
  const options = { signal: stopSignal() };
  const portalId = await portalIdOf(portal, options);
  const before = await store.readJson(keys.before(input.runId), categorySchema);
  const isOrderOnly = lackingIn(before?.categorySchema ?? [], desired).length === 0;
  const differing = isOrderOnly ? categoryDifferences : lackingIn;
  await writeOnce({
    isThere: async () => differing(await readCategorySchema(portal, portalId, options), desired).length === 0,
    post: async (writing) => {
      // Hours may have passed since it was read. A repeat may find its own write.
      if (!isRepeat())
        requireAsShown(portal, await readCategorySchema(portal, portalId, options), input.expected);
      await requireAuthority(deps, input);
      await assign(portal, portalId, desired, writing);
    },
  });
}

/**
 * Deletes the schema. Safe to repeat; a missing schema is no error.
 *
 * @throws PortolanError PLAN_CHANGED if it is no longer the saved one
 */
export async function deleteCategorySchema(deps: ActivityDeps, input: Input): Promise<void> {
  const { portals } = deps;
  const portal = openPortalRef(portals, input.portal);
  const options = { signal: stopSignal() };
  const portalId = await portalIdOf(portal, options);
  const isThere = async (): Promise<boolean> =>
    (await readCategorySchema(portal, portalId, options)).length === 0;
  await writeOnce({
    isThere,
    post: async (writing) => {
      // Deletes only what was saved, because the schema may have changed since.
      const found = await readCategorySchema(portal, portalId, options);
      if (found.length === 0) return;
      requireAsShown(portal, found, input.expected);
      await requireAuthority(deps, input);
      try {
        await deleteAll(portal, portalId, writing);
      } catch (thrown) {
        const error = PortolanError.from(thrown);
        // Portals respond alike to a missing schema and a missing privilege.
        if (error.code !== 'NOT_FOUND') throw error;
        if (!(await isThere())) throw error.with({ hint: INACCESSIBLE_HINT });
      }
    },
  });
}

/** Reads the schema back. Lists what differs, and whether siblings are in another order. */
export async function checkCategorySchema(
  { portals, store }: ActivityDeps,
  input: Input,
): Promise<{ lacking: string[]; isReordered: boolean }> {
  const portal = openPortalRef(portals, input.portal);
  const options = { signal: stopSignal() };
  const found = await readCategorySchema(portal, await portalIdOf(portal, options), options);
  const desired = await desiredTrees(store, input);
  const lacking = lackingIn(found, desired);
  return {
    lacking: lacking.slice(0, LISTED_MAX).map(({ path }) => path),
    isReordered: categoryDifferences(found, desired).length > lacking.length,
  };
}

function requireAuthority({ authority }: ActivityDeps, { runId, portal }: Input): Promise<void> {
  return authority.require(runId, { target: { portal: portal.portal } });
}

function requireAsShown(portal: Portal, found: readonly Category[], expected: string): void {
  if (schemaHash(found) === expected) return;
  throw new PortolanError(
    'PLAN_CHANGED',
    `The category schema of ${portal.name} has changed since it was shown.`,
    { portal: portal.name, hint: 'Run the command again and review what it shows.' },
  );
}

/** The schema the starter saved in the store; empty to delete it. */
async function desiredTrees(store: Store, { runId, operation }: Input): Promise<readonly Category[]> {
  if (operation === 'delete') return [];
  const desired = await store.readJson(keys.desired(runId), categorySchema);
  if (desired) return desired.categorySchema;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `The worker's store, ${store.where}, does not have the schema to apply.`,
    { hint: 'Use the same store here and on the worker.' },
  );
}

const portalIdOf = async (portal: Portal, options: CallOptions): Promise<string> =>
  (await readSelf(portal, options)).id ?? 'self';

/** What the portal lacks of the desired schema. The order of siblings does not count. */
const lackingIn = (found: readonly Category[], desired: readonly Category[]): CategoryDifference[] =>
  categoryDifferences(found, desired).filter(({ kind }) => kind !== 'order');

const changeOf = ({ path, before, after }: CategoryDifference): FieldChange => ({
  path,
  before: cut(before),
  after: cut(after),
});

const cut = (value: unknown): unknown => {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX - 2)}..` : value;
};
