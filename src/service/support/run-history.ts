import { defaultPayloadConverter } from '@temporalio/common';
import { historyToJSON, type JSONPayload, JSONToPayload } from '@temporalio/common/lib/proto-utils';
import { ClearWords } from '../../temporal/encryption/decrypt-history';
import type { TemporalClient } from '../../temporal/connection';

/** An event in Temporal's JSON, with each payload replaced by its value. */
export type HistoryEvent = Readonly<Record<string, unknown>>;

/** The last execution's history. Throws what `isNotFound` recognizes if Temporal no longer has the run. */
export async function readHistory({ client }: TemporalClient, runId: string): Promise<HistoryEvent[]> {
  const history = await client.workflow.getHandle(runId).fetchHistory();
  const { events } = JSON.parse(historyToJSON(history)) as { events: HistoryEvent[] };
  const words = new ClearWords(client);
  return await Promise.all(events.map((event) => inClear(event, words)));
}

async function inClear<T>(value: T, words: ClearWords): Promise<T>;
async function inClear(value: unknown, words: ClearWords): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (isPayload(value)) return await contentOf(value, words);
  if (Array.isArray(value)) return await Promise.all(value.map((each) => inClear(each, words)));
  const entries = Object.entries(value).map(
    async ([name, each]) => [name, await inClear(each, words)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

const isPayload = (value: object): value is JSONPayload =>
  'metadata' in value &&
  typeof value.metadata === 'object' &&
  value.metadata !== null &&
  'encoding' in value.metadata;

async function contentOf(raw: JSONPayload, words: ClearWords): Promise<unknown> {
  try {
    const clear = await words.decoded(JSONToPayload(raw));
    const content = clear && defaultPayloadConverter.fromPayload<unknown>(clear);
    return content instanceof Uint8Array ? `(${content.length} bytes)` : (content ?? null);
  } catch {
    return '(cannot be decoded here)';
  }
}
