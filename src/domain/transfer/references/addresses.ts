import { hostIdentity, pathIdentity, urlOf } from '../../../model/identity';

/**
 * Where an address leads, as far as portals are told apart by it: host (with a port that is not the
 * scheme's own) and first part of the path, both in lower case, the scheme forgotten. `path` is empty
 * for a host alone.
 */
interface PortalAddress {
  readonly host: string;
  readonly path: string;
}

/** Hosts of the vendor's public cloud: named by every portal, owned by none of the self-managed ones. */
const publicHosts = /(^|\.)arcgis\.com$/;

/** True for `http://…`, `https://…` and `//…`, the forms in which items name an address. */
export const isAddress = (text: string): boolean => /^\s*(https?:)?\/\/[^\s/]\S*\s*$/i.test(text);

/**
 * The portal that an address leads to, by a base URL or a bare host name (`staging.example.com/portal`); `undefined` where
 * it is none. The REST root of a portal without a context path (`https://host/sharing/rest`) is its host
 * alone.
 */
export function portalAddress(address: string): PortalAddress | undefined {
  const url = urlOf(address);
  if (url === undefined || url.hostname === '') return undefined;
  return {
    host: hostIdentity(url),
    path:
      pathIdentity(url)
        .split('/')
        .find((part) => part !== '') ?? '',
  };
}

/** The same in words, such as `staging.example.com/portal`. */
export const addressText = ({ host, path }: PortalAddress): string =>
  path === '' ? host : `${host}/${path}`;

/** The portals that addresses lead to, each once, in words; what is no address, and the public cloud, is passed over. */
export function portalAddresses(addresses: readonly string[]): string[] {
  const found = new Set<string>();
  for (const address of addresses) {
    const portal = portalAddress(address);
    if (portal !== undefined && !publicHosts.test(portal.host)) found.add(addressText(portal));
  }
  return [...found].sort();
}

/** Where the portals of both ends of a route are, as `portalAddresses` has it. */
export interface RouteAddresses {
  readonly source: readonly string[];
  readonly target: readonly string[];
}

/** Addresses that are not the portals' own word: where the hosted services of either end's items lie. */
interface SeenAddresses {
  readonly source?: readonly string[];
  readonly target?: readonly string[];
}

/**
 * Where a route's ends are, from all the addresses under which the two portals are known. What both know
 * counts as the target's: an address that works there is none that the source left behind.
 *
 * @param seen addresses of hosted services, for accounts that may not list the federated servers; they
 *   never overrule what the portals say of themselves, and one seen on both ends is the source's, since it
 *   may be what an import failed to rewrite
 */
export function routeAddresses(
  source: readonly string[],
  target: readonly string[],
  seen: SeenAddresses = {},
): RouteAddresses {
  const ofTarget = portalAddresses(target);
  const ofSource = portalAddresses([...source, ...(seen.source ?? [])]).filter(
    (address) => !ofTarget.includes(address),
  );
  const seenOnTarget = portalAddresses(seen.target ?? []).filter((address) => !ofSource.includes(address));
  return { source: ofSource, target: [...new Set([...ofTarget, ...seenOnTarget])].sort() };
}

type AddressOwner = 'source' | 'target' | 'foreign';

/**
 * Whose an address is. One with a path is asked before a host alone, so that two portals behind one
 * host are told apart.
 */
export function ownerOf(address: string, known: RouteAddresses): AddressOwner {
  const portal = portalAddress(address);
  if (portal === undefined) return 'foreign';
  for (const text of [addressText(portal), portal.host]) {
    if (known.target.includes(text)) return 'target';
    if (known.source.includes(text)) return 'source';
  }
  return 'foreign';
}

const serviceTypes =
  'FeatureServer|MapServer|ImageServer|SceneServer|VectorTileServer|GeocodeServer|GPServer|NAServer|' +
  'GeometryServer|StreamServer|GeoDataServer|WFSServer|WMSServer|KmlServer|MobileServer|ElevationServer';

const servicePattern = new RegExp(`^(.*?/(?:${serviceTypes}))(?:/(\\d+))?(?:[/?#].*)?$`, 'is');

/** A service's address taken apart: its root, and the layer where one is named. */
interface ServiceAddress {
  readonly root: string;
  readonly layerId?: number;
}

/** Takes an address of a map, feature or other service apart; `undefined` for any other address. */
export function serviceAddress(address: string): ServiceAddress | undefined {
  const match = servicePattern.exec(address.trim());
  const root = match?.[1];
  if (root === undefined) return undefined;
  return match?.[2] === undefined ? { root } : { root, layerId: Number(match[2]) };
}

/** A service's path on whichever server serves it, by which its addresses are told to be one's. */
export function serviceKey(address: string): string | undefined {
  const root = serviceAddress(address)?.root.toLowerCase();
  return root === undefined ? undefined : /\/rest\/services\/(.+)$/s.exec(root)?.[1];
}

const itemIdPatterns = [
  /\/items\/([0-9a-f]{32})(?:[/?#]|$)/i,
  /[?&](?:id|appid|webmap|webscene|itemid|layers)=([0-9a-f]{32})(?:[&#]|$)/i,
  /\/(?:apps|experience|stories|dashboards)\/(?:[\w-]+\/)*([0-9a-f]{32})(?:[/?#]|$)/i,
];

/** No portal makes an address as long as this: what comes after it decides nothing. @format characters */
export const ADDRESS_MAX = 8_192;

/** The item that an address of a portal leads to, such as `…/items/<id>` or `…?appid=<id>`. */
export function itemIdInAddress(address: string): string | undefined {
  for (const pattern of itemIdPatterns) {
    const id = pattern.exec(address.slice(0, ADDRESS_MAX))?.[1];
    if (id !== undefined) return id.toLowerCase();
  }
  return undefined;
}
