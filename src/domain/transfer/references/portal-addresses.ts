/**
 * Where an address leads, as far as portals are told apart by it: host (with a port that is not the
 * scheme's own) and first part of the path, both in lower case, the scheme forgotten. `path` is empty
 * for a host alone.
 */
export interface Prefix {
  readonly host: string;
  readonly path: string;
}

/** Hosts of the vendor's public cloud: named by every portal, owned by none of the self-managed ones. */
const publicHosts = /(^|\.)arcgis\.com$/;

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const parse = (address: string): URL | undefined => {
  const text = address.trim();
  const full = /^https?:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  return URL.canParse(full) ? new URL(full) : undefined;
};

const hostOf = (url: URL): string => {
  const name = loopbackHosts.has(url.hostname) ? 'localhost' : url.hostname;
  // The scheme is forgotten, so 80 and 443 are the same door, however they are written.
  return url.port === '' || url.port === '80' || url.port === '443' ? name : `${name}:${url.port}`;
};

/** The path in lower case without the parts that every portal's REST root ends in. */
const contextOf = (url: URL): string =>
  url.pathname
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/\/sharing(\/rest)?$/, '');

/** True for `http://…`, `https://…` and `//…`, the forms in which items name an address. */
export const isAddress = (text: string): boolean => /^\s*(https?:)?\/\/[^\s/]+\S*\s*$/i.test(text);

/**
 * Prefix of an address, a base URL or a bare host name (`staging.example.com/portal`); `undefined` where
 * it is none. The REST root of a portal without a context path (`https://host/sharing/rest`) is its host
 * alone.
 */
export function prefixOf(address: string): Prefix | undefined {
  if (address.trim() === '') return undefined;
  const url = parse(address);
  if (url === undefined || url.hostname === '') return undefined;
  return {
    host: hostOf(url),
    path:
      contextOf(url)
        .split('/')
        .find((part) => part !== '') ?? '',
  };
}

/** A prefix in words, such as `staging.example.com/portal`. */
export const prefixText = (prefix: Prefix): string =>
  prefix.path === '' ? prefix.host : `${prefix.host}/${prefix.path}`;

/**
 * The whole place of a portal: host, port and path of its base URL, without scheme, case, `/sharing/rest`
 * and a slash at the end. Two base URLs with one place are one portal.
 */
export function placeOf(address: string): string | undefined {
  if (address.trim() === '') return undefined;
  const url = parse(address);
  return url === undefined ? undefined : `${hostOf(url)}${contextOf(url)}`;
}

/** Prefixes of a list of addresses, each once; what is no address, and the public cloud, is passed over. */
export function prefixesOf(addresses: readonly string[]): string[] {
  const found = new Set<string>();
  for (const address of addresses) {
    const prefix = prefixOf(address);
    if (prefix !== undefined && !publicHosts.test(prefix.host)) found.add(prefixText(prefix));
  }
  return [...found].sort();
}

/** Prefixes of both ends of a route, as plain data. */
export interface RoutePrefixes {
  readonly source: readonly string[];
  readonly target: readonly string[];
}

/** Addresses that are not the portals' own word: where the hosted services of either end's items lie. */
export interface SeenAddresses {
  readonly source?: readonly string[];
  readonly target?: readonly string[];
}

/**
 * Prefixes of a route's ends from all the addresses under which the two portals are known. What both know
 * counts as the target's: an address that works there is none that the source left behind.
 *
 * @param seen addresses of hosted services, for accounts that may not list the federated servers; they
 *   never overrule what the portals say of themselves, and one seen on both ends is the source's, since it
 *   may be what an import failed to rewrite
 */
export function routePrefixes(
  source: readonly string[],
  target: readonly string[],
  seen: SeenAddresses = {},
): RoutePrefixes {
  const ofTarget = prefixesOf(target);
  const ofSource = prefixesOf([...source, ...(seen.source ?? [])]).filter(
    (prefix) => !ofTarget.includes(prefix),
  );
  const seenOnTarget = prefixesOf(seen.target ?? []).filter((prefix) => !ofSource.includes(prefix));
  return { source: ofSource, target: [...new Set([...ofTarget, ...seenOnTarget])].sort() };
}

export type Side = 'source' | 'target' | 'foreign';

/**
 * Whose an address is. A prefix with a path is asked before a host alone, so that two portals behind one
 * host are told apart.
 */
export function sideOf(address: string, prefixes: RoutePrefixes): Side {
  const prefix = prefixOf(address);
  if (prefix === undefined) return 'foreign';
  for (const text of [prefixText(prefix), prefix.host]) {
    if (prefixes.target.includes(text)) return 'target';
    if (prefixes.source.includes(text)) return 'source';
  }
  return 'foreign';
}
