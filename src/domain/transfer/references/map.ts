import { cutText } from '../../../model/text/plain-text';
import {
  itemIdsIn,
  liesAtOrBelow,
  mappedAddress,
  originOf,
  type ReferenceMap,
  EXAMPLES_MAX,
  type MappedExample,
} from '../../../model/release/reference-map';
import { childPath, DOCUMENT_BYTES_MAX, tooDeep } from './content';
import { type JSONPath, visit } from 'jsonc-parser';

/** What lies below an origin and goes elsewhere. */
interface Row {
  /** Without a slash at the end; empty for all of the origin. */
  readonly path: string;
  readonly to: string;
}

/** What ends a host in a text, apart from a slash; a text may go on right behind it. */
const addresses = /(?<![\w+.-])(https?):\/\/([^\s/?#"'`<>\\(){}[\]|^&,;]+|\[[0-9a-f:.]+\](?::\d+)?)/gi;

/** Characters within a path segment; any other one ends it. */
const partOfName = /[\w~%$*+@=-]/;

/** What ends a sentence as well as standing in a name. */
const punctuation = /[.:!]/;

/**
 * Replaces addresses and IDs in a text. Addresses match whole path segments, the longest first; IDs match whole words.
 * Replacements are not replaced again.
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

/** An item's data, and its address where it is a reference to something. */
export interface ItemTexts {
  /** Absent where it has none. */
  readonly data?: string;
  readonly url?: string;
}

interface MappedTexts extends ItemTexts {
  /** How many texts of it changed. */
  readonly places: number;
  /** The first of them. */
  readonly examples: readonly Omit<MappedExample, 'itemId' | 'title'>[];
  /** Why its data was left as it is; absent where it was looked through. */
  readonly why?: string;
}

/**
 * Maps the texts of an item one by one; everything between them stays as it is written. Data that is no JSON is left, and
 * what is nested too deep or becomes too long, with the reason.
 */
export function mapTexts({ data, url }: ItemTexts, mapper: ReferenceMapper): MappedTexts {
  const address = url === undefined ? undefined : mapper.mapped(url);
  const changes: MappedTexts['examples'][number][] =
    url !== undefined && address !== undefined && address !== url
      ? [{ path: 'item.url', ...changeIn(url, address) }]
      : [];
  const ofUrl = changes.length;
  if (data === undefined || data.trim() === '')
    return { data, url: address, places: ofUrl, examples: changes };
  const left = (why?: string): MappedTexts => ({ data, url: address, places: ofUrl, examples: changes, why });
  const deep = tooDeep(data);
  if (deep !== undefined) return left(deep);
  if (!isJson(data)) return left();
  const pieces: string[] = [];
  let [done, places] = [0, 0];
  // A parse and a new text would change how numbers are written, and lose repeated names.
  visit(data, {
    onLiteralValue: (value: unknown, start, length, _line, _character, segments) => {
      if (typeof value !== 'string') return;
      const mapped = mapper.mapped(value);
      if (mapped === value) return;
      places += 1;
      if (changes.length < EXAMPLES_MAX)
        changes.push({ path: pathOf(segments()), ...changeIn(value, mapped) });
      pieces.push(data.slice(done, start), JSON.stringify(mapped));
      done = start + length;
    },
  });
  const mapped = [...pieces, data.slice(done)].join('');
  if (Buffer.byteLength(mapped) > DOCUMENT_BYTES_MAX)
    return left(`it would exceed ${DOCUMENT_BYTES_MAX} bytes`);
  return { data: mapped, url: address, places: places + ofUrl, examples: changes };
}

const pathOf = (segments: JSONPath): string =>
  segments.reduce<string>(
    (path, each) => (typeof each === 'number' ? `${path}[${each}]` : childPath(path, each)),
    'data',
  );

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** So much of a text stands before its first change in an example, and so much after it. @format characters */
const [BEFORE, AFTER] = [40, 160];

/** Both texts around the first place where they differ. */
function changeIn(before: string, after: string): { readonly before: string; readonly after: string } {
  let differs = 0;
  while (differs < before.length && before[differs] === after[differs]) differs += 1;
  const from = Math.max(0, differs - BEFORE);
  const around = (text: string): string => {
    const end = differs + AFTER;
    return `${from > 0 ? '…' : ''}${cutText(text, from, end)}${end < text.length ? '…' : ''}`;
  };
  return { before: around(before), after: around(after) };
}
