import { requireCategoryRight } from '../../domain/portal-change/categories/before-change';
import {
  type CategoryDifference,
  categoryDifferences,
} from '../../domain/portal-change/categories/category-differences';
import { listedChanges } from '../../domain/portal-change/portal-draft';
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
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { isRepeat, stopSignal } from '../attempt/heartbeat';
import { changedSinceShown, readDesired, requireChange, openPortalRef } from './portal-ref';
import { writeOnce } from './write-once';

type Input = Pick<CategorySchemaInput, 'runId' | 'operation' | 'portal' | 'expected'>;

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
  await requireChange(deps, input);
  const desired = await desiredTrees(deps, input);
  const { self, read } = await openSchema(portal);
  const warnings = requireCategoryRight(portal.name, self, operation);
  const found = await read();
  requireAsShown(portal, found, expected);
  const saved = found.length > 0 ? keys.before(runId) : undefined;
  if (saved) await store.writeJson(saved, { categorySchema: found });
  const differences = categoryDifferences(found, desired);
  return {
    saved,
    trees: found.length,
    categories: countCategories(found),
    differences: differences.length,
    changes: listedChanges(differences),
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
  const desired = await desiredTrees(deps, input);
  const { portalId, read } = await openSchema(portal);
  const before = await store.readJson(keys.before(input.runId), categorySchema);
  const isOrderOnly = lackingIn(before?.categorySchema ?? [], desired).length === 0;
  const differing = isOrderOnly ? categoryDifferences : lackingIn;
  await writeOnce({
    isThere: async () => differing(await read(), desired).length === 0,
    post: async (writing) => {
      // Hours may have passed since it was read. A repeat may find its own write.
      if (!isRepeat()) requireAsShown(portal, await read(), input.expected);
      await requireChange(deps, input);
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
  const portal = openPortalRef(deps.portals, input.portal);
  const { portalId, read } = await openSchema(portal);
  const isThere = async (): Promise<boolean> => (await read()).length === 0;
  await writeOnce({
    isThere,
    post: async (writing) => {
      // Deletes only what was saved, because the schema may have changed since.
      const found = await read();
      if (found.length === 0) return;
      requireAsShown(portal, found, input.expected);
      await requireChange(deps, input);
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
  deps: ActivityDeps,
  input: Input,
): Promise<{ lacking: string[]; isReordered: boolean }> {
  const { read } = await openSchema(openPortalRef(deps.portals, input.portal));
  const found = await read();
  const desired = await desiredTrees(deps, input);
  const lacking = lackingIn(found, desired);
  return {
    lacking: listedChanges(lacking).map(({ path }) => path),
    isReordered: categoryDifferences(found, desired).length > lacking.length,
  };
}

function requireAsShown(portal: Portal, found: readonly Category[], expected: string): void {
  if (schemaHash(found) !== expected) throw changedSinceShown(portal.name, 'category schema');
}

/** The schema to write; empty to delete it. */
async function desiredTrees(deps: ActivityDeps, { runId, operation }: Input): Promise<readonly Category[]> {
  if (operation === 'delete') return [];
  return (await readDesired(deps, runId, 'category schema', categorySchema)).categorySchema;
}

async function openSchema(portal: Portal) {
  const options = { signal: stopSignal() };
  const self = await readSelf(portal, options);
  const portalId = self.id ?? 'self';
  return { self, portalId, read: () => readCategorySchema(portal, portalId, options) };
}

/** What the portal lacks of the desired schema. The order of siblings does not count. */
const lackingIn = (found: readonly Category[], desired: readonly Category[]): CategoryDifference[] =>
  categoryDifferences(found, desired).filter(({ kind }) => kind !== 'order');
