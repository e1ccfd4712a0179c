/** Items a sync excludes: by ID, type or tag. */
export interface Exclusion {
  readonly items?: readonly string[];
  /** As on the portal, ignoring case. */
  readonly types?: readonly string[];
  /** As on the portal, ignoring case. */
  readonly tags?: readonly string[];
}

/** The fields of an item that decide about its exclusion. */
export interface ExcludableItem {
  readonly id: string;
  readonly type?: string | null;
  readonly tags?: readonly string[] | null;
}

const kinds = ['items', 'types', 'tags'] as const satisfies readonly (keyof Exclusion)[];
const folded = (text: string): string => text.trim().toLowerCase();

/** Both exclusions together; undefined if empty. */
export function joinExclusions(
  one: Exclusion | undefined,
  other: Exclusion | undefined,
): Exclusion | undefined {
  const join = (kind: keyof Exclusion): readonly string[] | undefined => {
    const all = [...new Set([...(one?.[kind] ?? []), ...(other?.[kind] ?? [])])];
    return all.length > 0 ? all : undefined;
  };
  const joined: Exclusion = { items: join('items'), types: join('types'), tags: join('tags') };
  return kinds.some((kind) => joined[kind]) ? joined : undefined;
}

/** Why an item is excluded, for people; undefined if it is not. */
export function whyExcluded(
  { items = [], types = [], tags = [] }: Exclusion,
  item: ExcludableItem,
): string | undefined {
  if (items.includes(item.id)) return 'excluded by ID';
  const { type } = item;
  if (type && types.map(folded).includes(folded(type))) return `excluded by type: ${type}`;
  const excluded = tags.map(folded);
  const tag = item.tags?.find((each) => excluded.includes(folded(each)));
  return tag === undefined ? undefined : `excluded by tag: ${tag}`;
}

/** The excluded items of a listing, by ID, with the reason. */
export function excludedFrom(
  listed: Iterable<ExcludableItem>,
  exclusion: Exclusion | undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  if (!exclusion) return found;
  for (const item of listed) {
    const why = whyExcluded(exclusion, item);
    if (why !== undefined) found.set(item.id, why);
  }
  return found;
}

/** What one exclusion lacks of another, such as `type Dashboard`. */
export const notExcluded = (by: Exclusion = {}, desired: Exclusion = {}): string[] =>
  kinds.flatMap((kind) => {
    const there = new Set((by[kind] ?? []).map(folded));
    return (desired[kind] ?? [])
      .filter((each) => !there.has(folded(each)))
      .map((each) => `${kind.slice(0, -1)} ${each}`);
  });
