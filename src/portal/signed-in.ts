import { z } from 'zod';
import type { Portal } from './client';
import { PortolanError } from '../model/errors';
import { anyObject, text } from './reading';
import type { CallOptions } from './request';

const user = z.looseObject({ username: text });
const self = z.looseObject({
  user: user.nullish().catch(undefined),
  appInfo: anyObject.nullish().catch(undefined),
});

/**
 * Whether the portal knows the caller: the configured user for a password, any user or application for
 * a token, key or application credentials. docs/portal-interface.md, "Portal and user"
 */
export async function isSignedIn(portal: Portal, options?: CallOptions): Promise<boolean> {
  const username = await usernameOf(portal, options);
  if (username) return portal.auth.type !== 'password' || sameName(username, portal.auth.username);
  const answer = await portal.call({ operation: 'portal.self', path: 'portals/self', schema: self }, options);
  if (portal.auth.type === 'password') return sameName(answer.user?.username, portal.auth.username);
  return Boolean(answer.user?.username ?? answer.appInfo);
}

/** undefined for applications, which have no user, and for nobody. */
async function usernameOf(portal: Portal, options?: CallOptions): Promise<string | undefined> {
  if (portal.auth.type === 'clientCredentials') return undefined;
  try {
    return (await portal.call({ operation: 'user.self', path: 'community/self', schema: user }, options))
      .username;
  } catch (error) {
    if (error instanceof PortolanError && unsaid.has(error.code)) return undefined;
    throw error;
  }
}

const unsaid: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'BAD_REQUEST',
  'PERMISSION_DENIED',
  'SERVER_ERROR',
]);

const sameName = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();
