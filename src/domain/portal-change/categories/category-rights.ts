import { PortolanError } from '../../../model/errors/errors';
import { isFullAdministrator, type PortalSelf } from '../../../portal/resources/portals';

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
  if (!user) throw new PortolanError('NO_USER', `${portal} names no user who is signed in.`, { portal });
  if (isReadOnly === true) throw new PortolanError('TARGET_READ_ONLY', `${portal} is read-only.`, { portal });
  const { username, role, roleId, privileges = [] } = user;
  if (isFullAdministrator(user)) return [];
  if (operation === 'apply' && privileges.includes(ASSIGN_PRIVILEGE)) return [];
  if (role === undefined)
    return [`${portal} does not say which role ${username} has; whether it may do this shows in the answer`];
  const who = `${username} on ${portal} is ${roleId ? `${role} by the custom role ${roleId}` : role}`;
  throw operation === 'delete'
    ? new PortolanError(
        'PERMISSION_DENIED',
        `${who}; only full administrators may delete a category schema, and nothing was sent.`,
        { portal, hint: 'Sign in as an administrator without a custom role.' },
      )
    : new PortolanError(
        'PERMISSION_DENIED',
        `${who} without the privilege ${ASSIGN_PRIVILEGE}; nothing was sent.`,
        { portal, hint: 'Sign in as an administrator, or with a role that has this privilege.' },
      );
}
