import type { Manifest } from './manifest';
import type { World } from '../world';

/** Replaces the addresses of the source by those of the receiving portal. */
export type Rewrite = (text: string) => string;

/**
 * Only the portal itself and its hosting server are rewritten: services of other federated servers keep
 * their address, as they are not exported.
 *
 * @param renamed addresses of hosted services whose name was taken on the target, old to new
 */
export function rewriteFor(world: World, source: Manifest, renamed: ReadonlyMap<string, string>): Rewrite {
  const { httpsUrl, httpUrl } = source.sourcePortalInfo;
  const pairs: (readonly [string, string])[] = [
    ...renamed,
    [httpsUrl, world.portalUrl],
    [httpUrl, world.portalUrl],
    [source.hostingServerUrl, world.hostingServerUrl],
  ];
  const patterns = pairs
    .filter(([from, to]) => from !== to)
    // JSON may write a slash as `\/`.
    .map(([from, to]) => [new RegExp(`${escape(from)}(?![\\w-])`, 'gi'), to] as const);
  return (text) => patterns.reduce((rewritten, [from, to]) => rewritten.replace(from, to), text);
}

const escape = (text: string): string =>
  text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('/', '\\\\?/');

/** Data and resources beyond this size are not text that holds references. */
export const rewriteBelow = 50 * 1024 * 1024;

/** Types whose data is JSON with references in it. */
export const holdsReferences = (type: string): boolean =>
  /^(Web |StoryMap|Dashboard|Map Template|Desktop Application Template|Feature Service)/.test(type);
