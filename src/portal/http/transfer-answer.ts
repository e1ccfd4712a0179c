import { shortened } from '../../model/text/plain-text';
import { excessIn } from './response-limits';
import { idIn, isId } from './ids';
import { toList, toRecord, toText } from './reading';

/** A job that has started. Its key is a secret: owners who are not administrators need it to look the job up. */
export interface StartedJob {
  readonly kind: 'job';
  readonly jobId: string;
  readonly key?: string;
}

/** What became of the items of an export or import. */
export interface ResultLists {
  readonly kind: 'lists';
  readonly done: Entry[];
  readonly skipped: Entry[];
  readonly failed: Entry[];
}

/** The portal answered with the package item itself. */
export interface ExportedPackage {
  readonly kind: 'package';
  readonly itemId: string;
}

/** Fields of the answer, with those of an inner `result` beside them. */
function fieldsOf(answer: unknown): Record<string, unknown> {
  const outer = toRecord(answer) ?? {};
  return { ...toRecord(outer['result']), ...outer };
}

export function startedJobIn(answer: unknown): StartedJob | undefined {
  const fields = fieldsOf(answer);
  const jobId = idIn('job', fields['jobId']);
  const key = toText(fields['key']);
  return jobId ? { kind: 'job', jobId, ...(key && { key }) } : undefined;
}

/**
 * The lists of an export as its job's messages embed them, serialized: the last message that holds them.
 * docs/reference/portal-interface.md, "Jobs"
 */
export function exportListsInMessages(messages: readonly string[]): ResultLists | undefined {
  for (const message of messages.toReversed()) {
    const lists = resultListsIn(jsonIn(message), 'Export');
    if (lists) return lists;
  }
  return undefined;
}

/** The JSON object within a text, if there is one. */
function jsonIn(text: string): unknown {
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (start < 0 || end < start) return undefined;
  const json = text.slice(start, end + 1);
  if (excessIn(json) !== undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The three lists, in an answer, in its `result`, or in a job's result. */
export function resultListsIn(answer: unknown, what: 'Export' | 'Import'): ResultLists | undefined {
  const fields = fieldsOf(answer);
  const lists = [
    fields[`items${what}ed`],
    fields['itemsSkipped'],
    fields[`itemsFailed${what}`] ?? fields['itemsFailed'],
  ];
  if (lists.every((list) => list === undefined)) return undefined;
  const [done = [], skipped = [], failed = []] = lists.map(toEntries);
  return { kind: 'lists', done, skipped, failed };
}

/** The package item of an export, in an answer, in its `result`, or in a job's result. */
export function packageItemIn(answer: unknown): string | undefined {
  const fields = fieldsOf(answer);
  return idIn('item', fields['itemId'], fields['id']);
}

/** One entry of a result list. Portals give strings or objects of unknown shape; `raw` is what came. */
export interface Entry {
  readonly itemId?: string;
  readonly reason?: string;
  readonly raw: unknown;
}

/** Reads a result list, whatever its entries are. docs/reference/portal-interface.md, "Export" */
const toEntries = (value: unknown): Entry[] => toList(value).map(toEntry);

function toEntry(raw: unknown): Entry {
  const fields = toRecord(raw);
  if (!fields) return fromWords(toText(raw)?.trim() ?? '', raw);
  const itemId = idIn('item', fields['itemId'], fields['id'], toRecord(fields['item'])?.['id']);
  return { ...(itemId && { itemId }), ...optional('reason', reasonOf(fields)), raw };
}

/** A string is an item id when it can be one; a sentence is a reason that may name the item. */
function fromWords(words: string, raw: unknown): Entry {
  if (words === '') return { raw };
  if (isId(words)) return { itemId: words, raw };
  return { ...optional('itemId', /\b[0-9a-f]{32}\b/i.exec(words)?.[0]), reason: shortened(words), raw };
}

function reasonOf(fields: Record<string, unknown>): string | undefined {
  for (const name of ['reason', 'message', 'error', 'messages', 'details', 'statusMessage']) {
    const value = fields[name];
    const words =
      toText(value) ??
      toText(toRecord(value)?.['message']) ??
      toList(value)
        .flatMap((v) => toText(v) ?? [])
        .join(' ');
    if (words) return shortened(words);
  }
  return undefined;
}

const optional = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value ? ({ [key]: value } as Record<K, string>) : {};
