import { itemIdsIn, liesAtOrBelow, mappedAddress, originOf } from '../../../model/release/mapped-address';
import type { ReferenceMap } from '../../../model/release/reference-map';

/** What lies below an origin and goes elsewhere. */
interface Row {
  /** Without a slash at the end; empty for all of the origin. */
  readonly path: string;
  readonly to: string;
}

/** What ends a host in a text, apart from a slash; a text may go on right behind it. */
const addresses = /(?<![\w+.-])(https?):\/\/([^\s/?#"'`<>\\(){}[\]|^&,;]+|\[[0-9a-f:.]+\](?::\d+)?)/gi;

/** What a part of a path goes on with; anything else is behind its end. */
const partOfName = /[\w~%$*+@=-]/;

/** What ends a sentence as well as standing in a name. */
const punctuation = /[.:!]/;

/**
 * Puts addresses and ids in the place of others, wherever they stand in a text. An address is found at the borders of
 * its parts, whatever the case of its scheme and host, and the longest that is known decides; an id as a whole word.
 * What replaces is not looked at again.
 */
export class ReferenceMapper {
  readonly #rows = new Map<string, Row[]>();
  readonly #items: ReadonlyMap<string, string>;

  constructor({ urls, items }: ReferenceMap) {
    for (const [from, to] of Object.entries(urls)) {
      const { origin, path } = mappedAddress(from) ?? {};
      if (origin === undefined || path === undefined) continue;
      this.#rows.set(origin, [...(this.#rows.get(origin) ?? []), { path, to: to.replace(/\/+$/, '') }]);
    }
    for (const rows of this.#rows.values()) rows.sort((one, other) => other.path.length - one.path.length);
    this.#items = new Map(Object.entries(items).map(([from, to]) => [from.toLowerCase(), to]));
  }

  /** The text as the stage is to have it: the very same where nothing of it is mapped. */
  mapped(text: string): string {
    let [mapped, done] = ['', 0];
    for (const match of text.matchAll(addresses)) {
      const [whole, scheme = '', named = ''] = match;
      const authority = endsInPunctuation(text, match.index + whole.length)
        ? named.replace(/[.:!]+$/, '')
        : named;
      const from = match.index + scheme.length + '://'.length + authority.length;
      const row = this.#rows
        .get(originOf(scheme, authority))
        ?.find(({ path }) => text.startsWith(path, from) && isBorder(text, from + path.length));
      if (!row) continue;
      mapped += this.#withIds(text.slice(done, match.index)) + row.to;
      done = from + row.path.length;
    }
    return mapped + this.#withIds(text.slice(done));
  }

  #withIds(text: string): string {
    if (this.#items.size === 0) return text;
    return text.replace(/\b[0-9a-f]{32}\b/gi, (id) => this.#items.get(id.toLowerCase()) ?? id);
  }
}

/** Whether a host that ends here may have a full stop behind it that is none of its own. */
const endsInPunctuation = (text: string, at: number): boolean => !/[/?#]/.test(text[at] ?? '');

/** Whether a part of a path ends here: what follows belongs to no name, or is the end of a sentence. */
function isBorder(text: string, at: number): boolean {
  let next = at;
  while (punctuation.test(text[next] ?? '')) next += 1;
  if (next > at && text[next] === '/') return false;
  return !partOfName.test(text[next] ?? '');
}

/** Where a map leads: tells its own from what it has not touched. */
export class MappedTargets {
  readonly #urls;
  readonly #items: ReadonlySet<string>;

  constructor({ urls, items }: ReferenceMap) {
    this.#urls = Object.values(urls).flatMap((url) => mappedAddress(url) ?? []);
    this.#items = new Set(Object.values(items).map((id) => id.toLowerCase()));
  }

  /** Whether an address is one to which another one is mapped, or lies below it. */
  holdsAddress(address: string): boolean {
    const found = mappedAddress(address.trim().replace(/[?#].*$/s, ''));
    return found !== undefined && this.#urls.some((url) => liesAtOrBelow(found, url));
  }

  holdsItem(itemId: string): boolean {
    return itemIdsIn(itemId).some((id) => this.#items.has(id));
  }
}
