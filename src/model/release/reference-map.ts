import { z } from 'zod';
import { withoutTrailingSlashes } from '../identity';

/** URLs and item IDs that a stage writes, by those they replace. */
export const referenceMap = z.object({
  urls: z.record(z.string(), z.string()),
  items: z.record(z.string(), z.string()),
});
export type ReferenceMap = z.infer<typeof referenceMap>;

/** An example of a mapped place. */
export const mappedExample = z.object({
  itemId: z.string(),
  title: z.string().optional(),
  path: z.string().describe("JSON path in the item's data, or `item.url`"),
  before: z.string().describe('text around the first change'),
  after: z.string(),
});
export type MappedExample = z.infer<typeof mappedExample>;

/** Examples shown per plan. */
export const EXAMPLES_MAX = 3;

/** Counts of what the map of a stage changes in the items a plan creates or overwrites. */
export const mappedFigures = z.object({
  items: z.number().describe('items changed'),
  places: z.number().describe('texts changed in them'),
  unknown: z.number().describe('items without data in the snapshot'),
  examples: z.array(mappedExample).describe(`the first ${EXAMPLES_MAX}`),
});
export type MappedFigures = z.infer<typeof mappedFigures>;

/** The figures of several plans together. */
export const joinedFigures = (all: readonly MappedFigures[]): MappedFigures => {
  const sum = (of: 'items' | 'places' | 'unknown'): number =>
    all.reduce((whole, each) => whole + each[of], 0);
  const examples = all.flatMap((each) => each.examples).slice(0, EXAMPLES_MAX);
  return { items: sum('items'), places: sum('places'), unknown: sum('unknown'), examples };
};

/** An address as a map compares it: scheme, host and port in lower case, a port that is the scheme's own left out. */
export interface MappedAddress {
  readonly origin: string;
  /** Without a slash at the end; empty for a host alone. */
  readonly path: string;
}

/** Takes an address of a map apart; undefined where it is none, or has a query or fragment. */
export function mappedAddress(text: string): MappedAddress | undefined {
  const [, scheme, authority, path] = /^(https?):\/\/([^\s/?#]+)([^\s?#]*)$/i.exec(text) ?? [];
  if (scheme === undefined || authority === undefined) return undefined;
  return { origin: originOf(scheme, authority), path: withoutTrailingSlashes(path ?? '') };
}

/** @param scheme without its colon */
export function originOf(scheme: string, authority: string): string {
  const name = scheme.toLowerCase();
  const own = name === 'https' ? /:443$/ : /:80$/;
  return `${name}://${authority.toLowerCase().replace(own, '')}`;
}

/** Whether an address is another one, or lies below it. */
export const liesAtOrBelow = (address: MappedAddress, other: MappedAddress): boolean =>
  address.origin === other.origin &&
  (address.path === other.path || address.path.startsWith(`${other.path}/`));

/** `0123…` with 32 hexadecimal digits, wherever it stands as a word. */
export const itemIdsIn = (text: string): string[] =>
  (text.match(/\b[0-9a-f]{32}\b/gi) ?? []).map((id) => id.toLowerCase());
