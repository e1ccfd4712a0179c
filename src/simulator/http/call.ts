import type { IncomingHttpHeaders } from 'node:http';
import { isAdministrator } from '../access';
import { denied, tokenRequired } from '../errors';
import type { Settings } from '../options';
import type { UserRecord } from '../state/records';
import type { TokenFacts } from '../tokens';
import type { World } from '../world';
import type { Jobs } from '../jobs';
import type { Params } from './params';

/** A request as handlers see it. */
export interface Call {
  readonly world: World;
  readonly settings: Settings;
  readonly jobs: Jobs;
  readonly method: string;
  readonly params: Params;
  /** Values of the route's `:names`. */
  readonly path: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** IP address the request comes from. */
  readonly address: string;
  readonly session?: TokenFacts;
  /** How the token was sent. */
  readonly tokenBy?: 'query' | 'form' | 'header';
  readonly user?: UserRecord;
}

/** The signed-in user. @throws PortalFault 499 without a token, 403 with an application's token */
export function signedIn(call: Call): UserRecord {
  if (call.user) return call.user;
  throw call.session ? denied() : tokenRequired();
}

/** @throws PortalFault 499 or 403 */
export function administrator(call: Call): UserRecord {
  const user = signedIn(call);
  if (!isAdministrator(user)) throw denied();
  return user;
}

/** The user named in the path, whose content only this user and administrators may change. */
export function selfOrAdministrator(call: Call, username: string): UserRecord {
  const user = signedIn(call);
  const owner = call.world.users.get(username);
  if (user.username === username) return user;
  if (!owner || !isAdministrator(user)) throw denied();
  return owner;
}

/** @throws PortalFault 403 if the portal is read-only */
export function writable(call: Call): void {
  if (call.settings.readOnly) throw readOnlyFault();
}

function readOnlyFault(): Error {
  const fault = denied();
  fault.message = 'The portal is in read-only mode.';
  return fault;
}
