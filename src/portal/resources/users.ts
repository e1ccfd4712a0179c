import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../client';
import { requiredId } from '../http/ids';
import { pathOf } from '../http/address';
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
