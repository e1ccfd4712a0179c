import { PortolanError } from '../../model/errors/errors';
import { portalSelf, readServers } from '../resources/portals';
import { toText } from '../http/reading';
import type { CallOptions, PortalCalls } from '../http/request';

/** Servers that a portal itself names. */
export interface KnownServers {
  /** Its own host names, as URLs. */
  readonly names: readonly string[];
  /** Addresses of the servers federated with it, where this account may list them. */
  readonly federated: readonly string[];
  /** Addresses among its helper services, its own servers' and others': only the portal knows which. */
  readonly mentioned: readonly string[];
}

/**
 * What a portal says of its servers. The list of those federated with it is for administrators; whoever
 * may not read it goes by what the portal mentions. docs/reference/portal-interface.md, "Portal"
 */
export async function readKnownServers(portal: PortalCalls, options?: CallOptions): Promise<KnownServers> {
  const request = { operation: 'portal.self', path: 'portals/self', schema: portalSelf };
  const self = await portal.call(request, options);
  const servers = await readServers(portal, self.id ?? 'self', options).catch((error: unknown) => {
    if (PortolanError.from(error).meaning.kind === 'transient') throw error;
    return [];
  });
  const names = [self.portalHostname, ownDomain(self.urlKey, self.customBaseUrl)];
  return {
    names: names.flatMap((name) => (name ? [asUrl(name)] : [])),
    federated: servers.map((server) => server.url),
    mentioned: urlsIn(self.helperServices),
  };
}

const ownDomain = (key: string | undefined, base: string | undefined): string | undefined =>
  key && base ? `${key}.${base}` : undefined;

const asUrl = (name: string): string => (/^https?:/i.test(name) ? name : `https://${name}`);

function urlsIn(value: unknown): string[] {
  const text = toText(value);
  if (text !== undefined) return /^https?:\/\//i.test(text) ? [text] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlsIn) : [];
}
