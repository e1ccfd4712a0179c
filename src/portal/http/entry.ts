import { shortened } from '../../model/text/shortened';
import { idIn, isId } from './ids';
import { toList, toRecord, toText } from './reading';

/** One entry of a result list. Portals give strings or objects of unknown shape; `raw` is what came. */
export interface Entry {
  readonly itemId?: string;
  readonly reason?: string;
  readonly raw: unknown;
}

/** Reads a result list, whatever its entries are. docs/reference/portal-interface.md, "Export" */
export const toEntries = (value: unknown): Entry[] => toList(value).map(toEntry);

function toEntry(raw: unknown): Entry {
  const fields = toRecord(raw);
  if (!fields) return fromWords(toText(raw)?.trim() ?? '', raw);
  const itemId = idIn('item', fields['itemId'], fields['id'], toRecord(fields['item'])?.['id']);
  return { ...(itemId && { itemId }), ...optional('reason', kept(reasonOf(fields))), raw };
}

/** A string is an item id when it can be one; a sentence is a reason that may name the item. */
function fromWords(words: string, raw: unknown): Entry {
  if (words === '') return { raw };
  if (isId(words)) return { itemId: words, raw };
  return { ...optional('itemId', /\b[0-9a-f]{32}\b/i.exec(words)?.[0]), reason: shortened(words), raw };
}

const kept = (words: string | undefined): string | undefined => words && shortened(words);

function reasonOf(fields: Record<string, unknown>): string | undefined {
  for (const name of ['reason', 'message', 'error', 'messages', 'details', 'statusMessage']) {
    const value = fields[name];
    const words =
      toText(value) ??
      toText(toRecord(value)?.['message']) ??
      toList(value)
        .flatMap((v) => toText(v) ?? [])
        .join(' ');
    if (words) return words;
  }
  return undefined;
}

const optional = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value ? ({ [key]: value } as Record<K, string>) : {};
