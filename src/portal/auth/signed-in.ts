import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { optionalId } from '../http/ids';
import { anyObject } from '../http/reading';
import type { CallOptions, PortalCalls } from '../http/request';
import type { PortalAuth } from './sign-in';

const user = z.looseObject({ username: optionalId('user') });
const self = z.looseObject({
  user: user.nullish().catch(undefined),
  appInfo: anyObject.nullish().catch(undefined),
});

/** A portal and its sign-in. */
interface Account extends PortalCalls {
  readonly auth: PortalAuth;
}

/** What is said of a caller without a user. */
const APPLICATION = '(application)';

/**
 * Whom the portal takes the caller for: a user's name in lower case, an application, or nobody
 * (undefined). docs/reference/portal-interface.md, "Portal"
 */
export async function whoIsSignedIn(portal: Account, options?: CallOptions): Promise<string | undefined> {
  const username = await usernameOf(portal, options);
  if (username) return username.toLowerCase();
  const answer = await portal.call({ operation: 'portal.self', path: 'portals/self', schema: self }, options);
  return answer.user?.username?.toLowerCase() ?? (answer.appInfo ? APPLICATION : undefined);
}

/** undefined for applications, which have no user, and for nobody. */
async function usernameOf(portal: Account, options?: CallOptions): Promise<string | undefined> {
  if (portal.auth.type === 'clientCredentials') return undefined;
  try {
    return (await portal.call({ operation: 'user.self', path: 'community/self', schema: user }, options))
      .username;
  } catch (error) {
    // To a caller without a user; `portals/self` then decides.
    if (PortolanError.is(error, 'NOT_FOUND', 'BAD_REQUEST', 'PERMISSION_DENIED', 'SERVER_ERROR'))
      return undefined;
    throw error;
  }
}
