import { type Entry, toEntries } from './entry';
import { excessIn } from './response-limits';
import { idIn } from './ids';
import { toRecord, toText } from './reading';

/** A job that has started. Its key is a secret: owners who are not administrators need it to look the job up. */
export interface StartedJob {
  readonly kind: 'job';
  readonly jobId: string;
  readonly key?: string;
}

export interface ExportLists {
  readonly kind: 'lists';
  readonly exported: Entry[];
  readonly skipped: Entry[];
  readonly failed: Entry[];
}

export interface ImportLists {
  readonly kind: 'lists';
  readonly imported: Entry[];
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

/** The three lists of an export, in an answer, in its `result`, or in a job's result. */
export function exportListsIn(answer: unknown): ExportLists | undefined {
  const fields = fieldsOf(answer);
  const lists = [
    fields['itemsExported'],
    fields['itemsSkipped'],
    fields['itemsFailedExport'] ?? fields['itemsFailed'],
  ];
  if (lists.every((list) => list === undefined)) return undefined;
  const [exported = [], skipped = [], failed = []] = lists.map(toEntries);
  return { kind: 'lists', exported, skipped, failed };
}

/**
 * The lists of an export as its job's messages embed them, serialized: the last message that holds them.
 * docs/reference/portal-interface.md, "Jobs"
 */
export function exportListsInMessages(messages: readonly string[]): ExportLists | undefined {
  for (const message of messages.toReversed()) {
    const lists = exportListsIn(jsonIn(message));
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

/** The three lists of an import, in an answer, in its `result`, or in a job's result. */
export function importListsIn(answer: unknown): ImportLists | undefined {
  const fields = fieldsOf(answer);
  const lists = [
    fields['itemsImported'],
    fields['itemsSkipped'],
    fields['itemsFailedImport'] ?? fields['itemsFailed'],
  ];
  if (lists.every((list) => list === undefined)) return undefined;
  const [imported = [], skipped = [], failed = []] = lists.map(toEntries);
  return { kind: 'lists', imported, skipped, failed };
}

/** The package item of an export, in an answer, in its `result`, or in a job's result. */
export function packageItemIn(answer: unknown): string | undefined {
  const fields = fieldsOf(answer);
  return idIn('item', fields['itemId'], fields['id']);
}
