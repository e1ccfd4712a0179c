import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { ClearWords } from '../../temporal/encryption/decrypt-history';
import type { TemporalClient } from '../../temporal/connection';

/** An event of a history with what it holds in clear, as a value of JSON. */
export type HistoryEvent = Readonly<Record<string, unknown>>;

/** Seconds since 1970 are more than that for whatever happened after 2001, and no wait is as long. */
const IS_A_TIME = 1e9;
const DEPTH_MAX = 64;

/**
 * What Temporal holds of a run's last execution, event by event, with payloads as they were before they were encoded. What
 * cannot be decoded here says so in its place. Throws what `isNotFound` knows where Temporal no longer holds the run.
 */
export async function readHistory({ client }: TemporalClient, runId: string): Promise<HistoryEvent[]> {
  const { events } = await client.workflow.getHandle(runId).fetchHistory();
  const decoder = new Decoder(new ClearWords(client));
  const shown: HistoryEvent[] = [];
  for (const event of events ?? []) shown.push(await decoder.event(event));
  return shown;
}

const ATTRIBUTES = 'EventAttributes';

class Decoder {
  constructor(private readonly words: ClearWords) {}

  async event(raw: object): Promise<HistoryEvent> {
    const whole = (await this.value(raw)) as Record<string, unknown>;
    const name = Object.keys(whole).find((key) => key.endsWith(ATTRIBUTES));
    const { eventId, eventTime, userMetadata } = whole;
    return {
      id: eventId,
      at: eventTime,
      type: name?.slice(0, -ATTRIBUTES.length),
      ...(userMetadata !== undefined && { userMetadata }),
      ...(name !== undefined && { is: whole[name] }),
    };
  }

  private async value(raw: unknown, depth = 0): Promise<unknown> {
    if (raw === null || raw === undefined || typeof raw === 'function') return undefined;
    if (typeof raw !== 'object') return raw;
    if (depth > DEPTH_MAX) return '…';
    if (raw instanceof Uint8Array) return raw.length === 0 ? undefined : `(${raw.length} bytes)`;
    if (isLong(raw)) return Number(String(raw));
    if (isPayload(raw)) return await this.payload(raw);
    if (isSpan(raw)) return momentOf(raw);
    if (Array.isArray(raw)) return await Promise.all(raw.map((each) => this.value(each, depth + 1)));
    const entries = await Promise.all(
      Object.entries(raw).map(async ([name, each]) => [name, await this.value(each, depth + 1)] as const),
    );
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  }

  private async payload(raw: Payload): Promise<unknown> {
    try {
      const clear = (await this.words.decoded(raw)) ?? raw;
      const said = defaultPayloadConverter.fromPayload<unknown>(clear);
      return said instanceof Uint8Array ? `(${said.length} bytes)` : (said ?? null);
    } catch {
      return `(${raw.data?.length ?? 0} bytes that cannot be decoded here)`;
    }
  }
}

const isLong = (value: object): boolean => 'low' in value && 'high' in value && 'unsigned' in value;

const isPayload = (value: object): value is Payload =>
  'metadata' in value &&
  typeof value.metadata === 'object' &&
  value.metadata !== null &&
  Object.values(value.metadata).every((each) => each instanceof Uint8Array);

interface Span {
  readonly seconds?: unknown;
  readonly nanos?: number | null;
}

const isSpan = (value: object): value is Span => {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => name === 'seconds' || name === 'nanos');
};

/** A time as ISO 8601, a span in milliseconds: on the wire both look the same. */
function momentOf({ seconds, nanos }: Span): string | number {
  const ms = Number(String(seconds ?? 0)) * 1_000 + Math.floor((nanos ?? 0) / 1e6);
  return ms > IS_A_TIME * 1_000 ? new Date(ms).toISOString() : ms;
}
