import { EXAMPLES_MAX, type MappedExample } from '../../../model/release/reference-map';
import { figuresOf } from '../../../portal/http/response-limits';
import { JSON_DEPTH_MAX } from '../../../portal/http/limits';
import { DOCUMENT_BYTES_MAX } from './item-content';
import { stringsIn } from './json-strings';
import type { ReferenceMapper } from './reference-mapper';

/** An item's data, and its address where it is a reference to something. */
export interface ItemTexts {
  /** Absent where it has none. */
  readonly data?: string;
  readonly url?: string;
}

export interface MappedTexts extends ItemTexts {
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
  const { depth } = figuresOf(data);
  if (depth > JSON_DEPTH_MAX) return left(`it is nested ${depth} levels deep (limit ${JSON_DEPTH_MAX})`);
  if (!isJson(data)) return left();
  const pieces: string[] = [];
  let [done, places] = [0, 0];
  for (const { start, end, value, path } of stringsIn(data, 'data')) {
    const mapped = mapper.mapped(value);
    if (mapped === value) continue;
    places += 1;
    if (changes.length < EXAMPLES_MAX) changes.push({ path: path(), ...changeIn(value, mapped) });
    pieces.push(data.slice(done, start), JSON.stringify(mapped));
    done = end;
  }
  const mapped = [...pieces, data.slice(done)].join('');
  if (Buffer.byteLength(mapped) > DOCUMENT_BYTES_MAX)
    return left(`it would exceed ${DOCUMENT_BYTES_MAX} bytes`);
  return { data: mapped, url: address, places: places + ofUrl, examples: changes };
}

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
    // A cut through a character outside of the first plane would leave half of it.
    const whole = text.slice(from, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
    return `${from > 0 ? '…' : ''}${whole}${end < text.length ? '…' : ''}`;
  };
  return { before: around(before), after: around(after) };
}
