import { PortolanError } from '../../../model/errors/errors';
import { isFullAdministrator, type PortalSelf } from '../../../portal/resources/portals';
import type { Category, FiledItems } from '../../../model/portal-change/category-schema';
import type { Portal } from '../../../portal/client';
import { SEARCH_RESULTS_MAX } from '../../../portal/http/limits';
import { searchItems } from '../../../portal/resources/listings';
import type { CallOptions } from '../../../portal/http/request';

/** Who has it may assign a schema. docs/reference/portal-interface.md, "Category schema" */
const ASSIGN_PRIVILEGE = 'portal:admin:updateItemCategorySchema';

/**
 * Whether the one who is signed in may change a portal's category schema, as far as the portal says so. Returns
 * what is not known, as warnings. docs/reference/portal-interface.md, "Category schema"
 *
 * @throws PortolanError NO_USER, PERMISSION_DENIED, TARGET_READ_ONLY
 */
export function requireCategoryRight(
  portal: string,
  { user, isReadOnly }: Pick<PortalSelf, 'user' | 'isReadOnly'>,
  operation: 'apply' | 'delete',
): string[] {
  if (!user)
    throw new PortolanError('NO_USER', `${portal} does not say which user is signed in.`, { portal });
  if (isReadOnly === true) throw new PortolanError('TARGET_READ_ONLY', `${portal} is read-only.`, { portal });
  const { username, role, roleId, privileges = [] } = user;
  if (isFullAdministrator(user)) return [];
  if (operation === 'apply' && privileges.includes(ASSIGN_PRIVILEGE)) return [];
  if (role === undefined)
    return [
      `${portal} does not report the role of ${username}; its response will show whether this is allowed`,
    ];
  const who = `${username} on ${portal} is ${roleId ? `${role} with the custom role ${roleId}` : role}`;
  throw operation === 'delete'
    ? new PortolanError(
        'PERMISSION_DENIED',
        `${who}; only full administrators may delete a category schema. Nothing was sent.`,
        { portal, hint: 'Sign in as an administrator without a custom role.' },
      )
    : new PortolanError(
        'PERMISSION_DENIED',
        `${who} without the privilege ${ASSIGN_PRIVILEGE}. Nothing was sent.`,
        { portal, hint: 'Sign in as an administrator, or with a role that has this privilege.' },
      );
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
