import { PortolanError } from '../model/errors';
import type { Portal } from '../portal/client';
import { type FederatedServer, type PortalSelf, readSelf, readServers } from '../portal/portals';
import type { CallOptions } from '../portal/request';
import { type Release, releaseOf } from '../portal/versions';
import { asker } from './asking';

/** What the guards know of one portal: plain data without a secret, fit for history and record. */
export interface PortalFacts {
  /** Name in portolan.yaml. */
  readonly name: string;
  /** `{base_url}` as configured. */
  readonly url: string;
  readonly aliases: readonly string[];
  /** The portal's own id; the same literal on most self-managed portals. */
  readonly portalId: string;
  readonly release?: Release;
  /** The version in the portal's words; empty where it tells none. */
  readonly version: string;
  /** Self-managed; absent where the portal does not say. */
  readonly isPortal?: boolean;
  readonly readOnly: boolean;
  /** Deleted items go to a recycle bin first. */
  readonly recycleBin: boolean;
  /** The signed-in user; absent for application credentials. */
  readonly username?: string;
  readonly role?: string;
  /** Default administrator: `org_admin` without a custom role. */
  readonly fullAdmin: boolean;
  /** `portalHostname`: under which name the portal knows itself, with its context path where it says so. */
  readonly hostname?: string;
  /** Every address under which the portal or a server of it is known: base URL, aliases, own names, servers. */
  readonly addresses: readonly string[];
  /** False where the account may not list the federated servers, so that addresses may be missing. */
  readonly serversRead: boolean;
}

/**
 * Reads who and what a portal is, with whom we are signed in. Servers that the account may not list are
 * left out and said so in `serversRead`. docs/portal-interface.md, "Portal"
 *
 * @throws PortolanError as `readSelf` does
 */
export async function readPortalFacts(portal: Portal, options?: CallOptions): Promise<PortalFacts> {
  const self = await readSelf(portal, options);
  const portalId = self.id ?? 'self';
  const servers = await readableServers(portal, portalId, options);
  const user = self.user ?? undefined;
  return {
    name: portal.name,
    url: portal.url,
    aliases: portal.aliases,
    portalId,
    release: releaseOf(self),
    version: self.enterpriseVersion ?? self.currentVersion ?? '',
    isPortal: self.isPortal ?? deploymentOf(self.portalMode),
    readOnly: self.isReadOnly === true,
    recycleBin: self.recycleBinEnabled === true,
    username: user?.username,
    role: user?.role,
    fullAdmin: user?.role === 'org_admin' && !user.roleId,
    hostname: self.portalHostname?.trim() || undefined,
    addresses: [
      portal.url,
      ...portal.aliases,
      ...ownNamesOf(self),
      ...(servers ?? []).flatMap((server) => [server.url, ...(server.adminUrl ? [server.adminUrl] : [])]),
    ],
    serversRead: servers !== undefined,
  };
}

const deploymentOf = (mode: string | undefined): boolean | undefined =>
  mode === undefined ? undefined : mode.toLowerCase() === 'singletenant';

function ownNamesOf(self: PortalSelf): string[] {
  const base = self.customBaseUrl?.trim();
  const key = self.urlKey?.trim();
  return [self.portalHostname?.trim(), base && key ? `${key}.${base}` : base].flatMap((name) => name || []);
}

/**
 * `undefined` where there is no answer that can be used: no right to list them, a portal that does not know
 * the resource, one that fails on it. The portal's description has been read before, so whatever goes wrong
 * here is of this resource, and holds up nothing: the tries are few and short.
 */
async function readableServers(
  portal: Portal,
  portalId: string,
  options?: CallOptions,
): Promise<FederatedServer[] | undefined> {
  try {
    return await asker(options?.signal)(() =>
      readServers(portal, portalId, { timeoutMs: SERVERS_TIMEOUT_MS, ...options }),
    );
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (error.code === 'ABORTED' || error.code === 'INTERNAL') throw error;
    return undefined;
  }
}

/** @format milliseconds */
const SERVERS_TIMEOUT_MS = 15_000;
