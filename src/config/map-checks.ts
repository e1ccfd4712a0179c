import { z } from 'zod';
import type { ReferenceMap } from '../model/release/reference-map';
import { itemIdsIn, liesAtOrBelow, type MappedAddress, mappedAddress } from '../model/release/mapped-address';
import { maskSecrets } from '../model/text/mask-secrets';
import { shortened } from '../model/text/shortened';
import { withoutTrailingSlashes } from '../model/text/trailing-slashes';

/** Maximum number of rows: the map is sent with each run. */
const ROWS_MAX = 500;
/** @format characters */
const URL_MAX = 500;

const rows = z.record(z.string(), z.string().catch('')).optional().catch(undefined);

/** The parts of a stage's map that are checked here; the schema reports malformed values. */
export const plainMap = z.object({ urls: rows, items: rows }).optional().catch(undefined);
type PlainMap = NonNullable<z.infer<typeof plainMap>>;

/**
 * Problems of a stage's map, each with its place. No row may lead to text that another row replaces: the result
 * would depend on the order of replacements.
 */
export function mapProblems(place: string, { urls = {}, items = {} }: PlainMap): string[] {
  const long = Object.entries({ urls, items }).find(([, each]) => Object.keys(each).length > ROWS_MAX);
  if (long) return [`${place}.map.${long[0]}: has more than ${ROWS_MAX} rows`];
  const found = [...unfit(place, urls, items)];
  return found.length > 0
    ? found
    : [...urlChains(`${place}.map.urls`, urls), ...itemChains(place, urls, items)];
}

function* unfit(place: string, urls: Rows, items: Rows): Generator<string> {
  for (const url of Object.entries(urls).flat()) {
    const problem = urlProblem(url);
    if (problem !== undefined) yield `${place}.map.urls: ${shown(url)} ${problem}`;
  }
  for (const id of Object.entries(items).flat()) {
    if (!/^[0-9a-f]{32}$/i.test(id))
      yield `${place}.map.items: ${shown(id)} is not an item id; write 32 hexadecimal digits in quotes`;
  }
}

type Rows = Readonly<Record<string, string>>;

function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; write it as https://HOST/PATH';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  if (username !== '' || password !== '') return 'must not hold a user name or password';
  if (search !== '' || hash !== '') return 'must not hold a query or fragment';
  if (maskSecrets(text) !== text) return 'must not hold what looks like a secret';
  if (text.length > URL_MAX) return `is longer than ${URL_MAX} characters`;
  return mappedAddress(text) ? undefined : 'is not a URL; write it as https://HOST/PATH';
}

/** Shows only scheme, host and path of a URL. */
function shown(text: string): string {
  if (!URL.canParse(text)) return `"${shortened(maskSecrets(text), 60)}"`;
  const { protocol, host, pathname } = new URL(text);
  return `"${shortened(maskSecrets(`${protocol}//${host}${pathname}`), URL_MAX)}"`;
}

function urlChains(place: string, urls: Rows): string[] {
  const froms = Object.keys(urls).map((text) => ({ text, address: addressOf(text) }));
  return Object.entries(urls).flatMap(([from, to]) => {
    const twin = froms.find(({ text, address }) => text !== from && isSame(address, addressOf(from)));
    if (twin) return [`${place}: "${from}" and "${twin.text}" are the same address`];
    const target = addressOf(to);
    const next = froms.find(
      ({ address }) => liesAtOrBelow(target, address) || liesAtOrBelow(address, target),
    );
    return next
      ? [
          `${place}: "${from}" maps to "${to}", but "${next.text}" is mapped too; no address may contain another`,
        ]
      : [];
  });
}

function itemChains(place: string, urls: Rows, items: Rows): string[] {
  const ids = Object.keys(items).map((id) => id.toLowerCase());
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  const replaced = new Set(ids);
  const leading = Object.entries(items).filter(([, to]) => replaced.has(to.toLowerCase()));
  const all = new Set([...replaced, ...Object.values(items).map((id) => id.toLowerCase())]);
  const inUrls = Object.entries(urls)
    .flat()
    .filter((url) => itemIdsIn(url).some((id) => all.has(id)));
  return [
    ...twice.map((id) => `${place}.map.items: ${id} appears twice`),
    ...leading.map(
      ([from, to]) => `${place}.map.items: ${from} maps to ${to}, which is mapped too; write the final ID`,
    ),
    ...inUrls.map(
      (url) => `${place}.map.urls: "${url}" contains an ID from map.items; map it in one of the two only`,
    ),
  ];
}

const addressOf = (text: string): MappedAddress => mappedAddress(text) ?? { origin: text, path: '' };

const isSame = (one: MappedAddress, other: MappedAddress): boolean =>
  one.origin === other.origin && one.path === other.path;

/** A map as sent with a run; undefined if it has no rows. */
export function compileMap({ urls, items }: ReferenceMap): ReferenceMap | undefined {
  if (Object.keys(urls).length + Object.keys(items).length === 0) return undefined;
  const compiled = (given: Rows, write: (text: string) => string): Record<string, string> =>
    Object.fromEntries(Object.entries(given).map(([from, to]) => [write(from), write(to)]));
  return {
    urls: compiled(urls, withoutTrailingSlashes),
    items: compiled(items, (id) => id.toLowerCase()),
  };
}
