import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../client';
import { requiredId } from '../http/ids';
import { pathOf } from '../http/address';
import { pagesOf } from '../http/page';
import { number, readableOf } from '../http/reading';
import type { CallOptions } from '../http/request';

const user = z.looseObject({ username: requiredId('user') });
export type User = z.infer<typeof user>;

/**
 * A user of the portal, under the name that the portal writes; undefined where there is none, or none that this account
 * may see. docs/reference/portal-interface.md, "Portal"
 */
export async function findUser(
  portal: Portal,
  username: string,
  options?: CallOptions,
): Promise<User | undefined> {
  try {
    return await portal.call(
      { operation: 'user.read', path: pathOf`community/users/${username}`, schema: user },
      options,
    );
  } catch (error) {
    if (PortolanError.is(error, 'NOT_FOUND', 'PERMISSION_DENIED')) return undefined;
    throw error;
  }
}

const userPage = z.looseObject({ nextStart: number, users: readableOf(user) });

/** Names of all members of the portal. docs/reference/portal-interface.md, "Portal" */
export async function readUsernames(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<string[]> {
  const names: string[] = [];
  const pages = pagesOf(
    {
      portal,
      operation: 'portal.users',
      sizeOf: (page: z.infer<typeof userPage>) => page.users.length,
      read: (page, o) =>
        portal.call(
          {
            operation: 'portal.users',
            path: pathOf`portals/${portalId}/users`,
            params: { ...page },
            schema: userPage,
          },
          o,
        ),
    },
    options,
  );
  for await (const { users } of pages) names.push(...users.map(({ username }) => username));
  return names;
}
