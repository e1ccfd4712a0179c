import { PortolanError } from '../../model/errors/errors';
import { type Category, categorySchema, plainTrees } from '../../model/portal-change/category-schema';
import type { Portal } from '../../portal/client';
import { SEARCH_RESULTS_MAX } from '../../portal/http/limits';
import type { CallOptions } from '../../portal/http/request';
import {
  assignCategorySchema,
  deleteCategorySchema,
  readCategorySchema,
} from '../../portal/resources/category-schema';
import { searchItems } from '../../portal/resources/listings';
import { isFullAdministrator } from '../../portal/resources/portals';
import { categoryDifferences } from './category-differences';
import {
  readPortal,
  fingerprintOf,
  type FoundPortal,
  isEmpty,
  type PortalDocument,
  requireAccount,
} from './portal-document';

/** A category schema; its trees are written as a whole. */
type Categories = Readonly<Record<'categorySchema', readonly Category[]>>;

/** docs/reference/portal-interface.md, "Category schema" */
export const categoriesDocument: PortalDocument<Categories> = {
  title: 'category schema',
  heldAs: 'categories',
  schema: categorySchema,

  async read(portal, options) {
    const found = await readPortal(portal, options);
    const trees = await readCategorySchema(portal, found.portalId, options);
    return { ...found, value: { categorySchema: trees } };
  },

  require: (found, wanted) =>
    requireCategoryRight(found, isEmpty(wanted) && !isEmpty(found.value) ? 'delete' : 'apply'),

  differences: ({ categorySchema: now }, { categorySchema: wanted }) => categoryDifferences(now, wanted),

  replaced: (now) => now,

  fingerprint: ({ categorySchema: trees }) => fingerprintOf(plainTrees(trees)),

  async write(portal, { portalId }, wanted, options) {
    if (isEmpty(wanted)) await deleteSchema(portal, portalId, options);
    else await assignCategorySchema(portal, portalId, wanted.categorySchema, options);
  },

  // A portal may keep siblings in an order of its own. Only a change of nothing else is judged by it.
  notTaken(now, wanted, replaced) {
    const isOrdered = withoutOrder(replaced, wanted).length === 0;
    return isOrdered ? categoriesDocument.differences(now, wanted) : withoutOrder(now, wanted);
  },

  isThere: (now, wanted, replaced) => categoriesDocument.notTaken(now, wanted, replaced).length === 0,

  // Trees are written as a whole.
  isHalfThere: () => false,

  ofRelease: (content) => ({ wanted: categorySchema.parse(content), warnings: [] }),

  undo(now, { replaced, written }) {
    const is = (other: Categories, instead: Categories) =>
      categoriesDocument.notTaken(now, other, instead).length === 0;
    if (is(written, replaced) || is(replaced, written)) return { wanted: replaced, warnings: [] };
    return {
      wanted: now,
      warnings: ['the category schema has changed since; Portolan leaves it unchanged'],
    };
  },
};

const withoutOrder = ({ categorySchema: now }: Categories, { categorySchema: wanted }: Categories) =>
  categoryDifferences(now, wanted).filter(({ kind }) => kind !== 'order');

/** Portals respond alike to a missing schema and a missing privilege. */
async function deleteSchema(portal: Portal, portalId: string, options: CallOptions): Promise<void> {
  try {
    await deleteCategorySchema(portal, portalId, options);
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (error.code !== 'NOT_FOUND') throw error;
    const left = await readCategorySchema(portal, portalId, { signal: options.signal });
    if (left.length > 0)
      throw error.with({
        hint: 'The schema still exists, so this account may not delete it. Sign in as an administrator without a custom role.',
      });
  }
}

/** Who has it may assign a schema. docs/reference/portal-interface.md, "Category schema" */
const ASSIGN_PRIVILEGE = 'portal:admin:updateItemCategorySchema';

/**
 * Refuses an account that may not change the category schema, as far as the portal tells. Returns what is not known,
 * as warnings. docs/reference/portal-interface.md, "Category schema"
 *
 * @throws PortolanError NO_USER, PERMISSION_DENIED, TARGET_READ_ONLY
 */
export function requireCategoryRight(
  found: Pick<FoundPortal, 'name' | 'user' | 'isReadOnly'>,
  operation: 'apply' | 'delete',
): string[] {
  const { name: portal } = found;
  const user = requireAccount(found);
  const { username, role, roleId, privileges = [] } = user;
  if (isFullAdministrator(user)) return [];
  if (operation === 'apply' && privileges.includes(ASSIGN_PRIVILEGE)) return [];
  if (role === undefined)
    return [
      `${portal} does not report the role of ${username}; its response will show whether this is allowed`,
    ];
  const who = `${username} on ${portal} is ${roleId ? `${role} with the custom role ${roleId}` : role}`;
  const [why, how] =
    operation === 'delete'
      ? ['; only full administrators may delete a category schema', ' without a custom role']
      : [` without the privilege ${ASSIGN_PRIVILEGE}`, ', or with a role that has this privilege'];
  throw new PortolanError('PERMISSION_DENIED', `${who}${why}. Nothing was sent.`, {
    portal,
    hint: `Sign in as an administrator${how}.`,
  });
}

/** Items that are filed under a schema. */
export interface FiledItems {
  readonly count: number;
  /** There may be more than could be counted. */
  readonly isAtLeast: boolean;
}

/**
 * How many items of a portal are filed under its category trees, among those that the one who is signed in can
 * find. docs/reference/portal-interface.md, "Category schema"
 */
export async function countFiledItems(
  portal: Portal,
  portalId: string,
  trees: readonly Category[],
  options?: CallOptions,
): Promise<FiledItems> {
  const roots = trees.map(({ title }) => `/${title}`.normalize('NFC'));
  const isUnder = (path: string): boolean =>
    roots.some((root) => path.normalize('NFC') === root || path.normalize('NFC').startsWith(`${root}/`));
  const seen = new Set<string>();
  let count = 0;
  // Pages may overlap while items are added; each counts once.
  for await (const page of searchItems(portal, `accountid:${portalId}`, options)) {
    for (const { id, categories = [] } of page) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (categories.some(isUnder)) count += 1;
    }
  }
  return { count, isAtLeast: seen.size >= SEARCH_RESULTS_MAX };
}
