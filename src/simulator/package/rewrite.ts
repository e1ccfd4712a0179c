import type { Manifest } from './manifest';
import type { World } from '../world';

/** Replaces the source's URLs by the target's. */
export type Rewrite = (text: string) => string;

/**
 * Only URLs of the portal and its hosting server are replaced: services of other federated servers are not exported, and
 * keep theirs.
 *
 * @param renamed URLs of hosted services whose name was taken on the target, old to new
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

/** Larger data and resources are not text with references. */
export const rewriteBelow = 50 * 1024 * 1024;

/** Types whose data is JSON with references. */
export const holdsReferences = (type: string): boolean =>
  /^(Web |StoryMap|Dashboard|Map Template|Desktop Application Template|Feature Service)/.test(type);
