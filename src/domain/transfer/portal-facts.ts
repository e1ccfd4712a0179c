import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import {
  isFullAdministrator,
  isSelfManaged,
  type PortalSelf,
  readSelf,
  readServers,
} from '../../portal/resources/portals';
import type { CallOptions } from '../../portal/http/request';
import { type Release, releaseFrom, releaseOf } from '../../portal/http/versions';
import { optional } from './retry';
import type { SnapshotSource } from '../../model/snapshot/snapshot';
import type { Route } from '../../model/transfer/route';

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
  /** The version as the portal reports it; empty if it does not. */
  readonly version: string;
  /** ArcGIS Enterprise; absent if the portal does not say. */
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
  /** Every URL of the portal and its servers: base URL, aliases, own names, servers. */
  readonly addresses: readonly string[];
  /** False if the federated servers could not be listed, so URLs may be missing. */
  readonly serversRead: boolean;
}

/** The signed-in user. Throws NO_USER for application credentials. */
export function requireUser({ name, username }: Pick<PortalFacts, 'name' | 'username'>): string {
  if (username) return username;
  throw new PortolanError('NO_USER', `The credentials for ${name} have no user.`, { portal: name });
}

/** A run and its target. */
export interface RunOnTarget {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
}

/** A run and its plan. */
export interface RunOnPlan extends RunOnTarget {
  /** Store key. */
  readonly planRef: string;
}

/** A run and both its portals. */
export interface RunOnBoth extends RunOnTarget {
  readonly source: PortalFacts;
}

/**
 * Reads who and what a portal is, with whom we are signed in. Servers that cannot be listed, for want
 * of a right or for whatever the portal answers, are left out, and `serversRead` says so. docs/reference/portal-interface.md, "Portal"
 *
 * @throws PortolanError as `readSelf` does
 */
export async function readPortalFacts(portal: Portal, options?: CallOptions): Promise<PortalFacts> {
  const self = await readSelf(portal, options);
  const portalId = self.id ?? 'self';
  const servers = await optional((o) => readServers(portal, portalId, o), options);
  const user = self.user ?? undefined;
  return {
    name: portal.name,
    url: portal.url,
    aliases: portal.aliases,
    portalId,
    release: releaseOf(self),
    version: self.enterpriseVersion ?? self.currentVersion ?? '',
    isPortal: isSelfManaged(self),
    readOnly: self.isReadOnly === true,
    recycleBin: self.recycleBinSupported === true && self.recycleBinEnabled !== false,
    username: user?.username,
    role: user?.role,
    fullAdmin: isFullAdministrator(user),
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

function ownNamesOf(self: PortalSelf): string[] {
  const base = self.customBaseUrl?.trim();
  const key = self.urlKey?.trim();
  return [self.portalHostname?.trim(), base && key ? `${key}.${base}` : base].flatMap((name) => name || []);
}

/** What a snapshot keeps about its source portal. */
export const sourceOf = (facts: PortalFacts, groupId: string, groupTitle?: string): SnapshotSource => ({
  portal: facts.name,
  url: facts.url,
  aliases: [...facts.aliases],
  hostname: facts.hostname,
  portalId: facts.portalId,
  version: facts.version,
  addresses: [...facts.addresses],
  groupId,
  groupTitle,
});

/** The portal of a snapshot as checks want to know it: what it was then, and without any say now. */
export const factsOf = (source: SnapshotSource): PortalFacts => ({
  name: source.portal,
  url: source.url,
  aliases: source.aliases,
  hostname: source.hostname,
  portalId: source.portalId,
  release: releaseFrom(source.version),
  version: source.version,
  readOnly: true,
  recycleBin: false,
  fullAdmin: false,
  addresses: source.addresses,
  serversRead: true,
});
