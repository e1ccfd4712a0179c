import { urlOf, withoutTrailingSlashes } from '../../model/identity';
import type { ReferenceMap } from '../../model/release/reference-map';
import type { PortalFacts } from '../transfer/portal-facts';

type End = Pick<PortalFacts, 'url' | 'aliases' | 'hostname'>;

interface Ends {
  readonly source: End;
  readonly target: End;
  /** URLs of the portal that made the package, from its preview. */
  readonly sourceAddresses: readonly string[];
  /** URLs of the hosted services that both portals have. */
  readonly services: readonly { readonly source: string; readonly target: string }[];
}

/**
 * The addresses that an import rewrites in what comes, and those in what the target holds that name the same in another
 * way. Services that only the source has keep theirs.
 */
export function importedAddresses({ source, target, sourceAddresses, services }: Ends): {
  readonly coming: ReferenceMap;
  readonly held: ReferenceMap;
} {
  const name = ownName(target);
  const to = (names: readonly string[]): [string, string][] =>
    names.flatMap(bothSchemes).map((each) => [each, name]);
  const hosted = (pair: Ends['services'][number]): [string, string][] => [
    ...bothSchemes(pair.source).map((from): [string, string] => [from, withoutTrailingSlashes(pair.target)]),
    ...serverPair(pair),
  ];
  const own = services.flatMap(({ target: url }) => hosted({ source: url, target: url }));
  const held = [...to(namesOf(target)), ...own];
  const coming = [...to([...sourceAddresses, ...namesOf(source)]), ...held, ...services.flatMap(hosted)];
  return { coming: mapOf(coming), held: mapOf(held) };
}

const mapOf = (pairs: readonly [from: string, to: string][]): ReferenceMap => ({
  urls: Object.fromEntries(pairs.filter(([from, to]) => from !== to)),
  items: {},
});

/** The URL of a portal without `/sharing/rest`. */
const rootOf = (url: string): string =>
  withoutTrailingSlashes(withoutTrailingSlashes(url).replace(/\/sharing(\/rest)?$/i, ''));

/** As an import writes it: under the name by which the portal knows itself. */
function ownName({ url, hostname }: End): string {
  const root = rootOf(url);
  const configured = urlOf(root);
  const named = hostname === undefined ? undefined : urlOf(hostname);
  if (!configured || !named) return root;
  const path = named.pathname === '/' ? configured.pathname : named.pathname;
  return withoutTrailingSlashes(`${configured.protocol}//${named.host}${path}`);
}

const namesOf = (end: End): string[] => [end.url, ...end.aliases, ownName(end)].map(rootOf);

function bothSchemes(address: string): string[] {
  const rest = rootOf(address).replace(/^https?:\/\//i, '');
  return rest === '' ? [] : [`https://${rest}`, `http://${rest}`];
}

/** The servers that host a service. */
function serverPair(pair: { readonly source: string; readonly target: string }): [string, string][] {
  const [source, target] = [pair.source, pair.target].map(
    (url) => /^(.+?)\/rest\/services\//is.exec(url)?.[1],
  );
  if (source === undefined || target === undefined) return [];
  return bothSchemes(source).map((from): [string, string] => [from, target]);
}
