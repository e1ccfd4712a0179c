import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const folder = path.join(__dirname, '..', 'histories');

const ending = '.json.gz';

/** Names of the recorded histories, such as `parked-at-the-import`. */
export const recordedHistories = readdirSync(folder)
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length));

interface Payload {
  readonly data?: string;
  readonly metadata?: { readonly encoding?: string };
}
interface Payloads {
  readonly payloads?: readonly Payload[];
}

/** The events of a history that carry payloads, as far as they are looked at. */
export interface RecordedEvent {
  readonly eventId: string;
  readonly workflowExecutionStartedEventAttributes?: {
    readonly workflowId?: string;
    readonly workflowType: { readonly name: string };
    readonly input?: Payloads;
  };
  readonly workflowExecutionCompletedEventAttributes?: { readonly result?: Payloads };
  readonly activityTaskScheduledEventAttributes?: {
    readonly activityType: { readonly name: string };
    readonly input?: Payloads;
  };
  readonly activityTaskCompletedEventAttributes?: {
    readonly scheduledEventId: string;
    readonly result?: Payloads;
  };
  readonly workflowExecutionSignaledEventAttributes?: {
    readonly signalName: string;
    readonly input?: Payloads;
  };
}

export interface RecordedHistory {
  /** Commit whose code made the history. */
  readonly commit: string;
  readonly history: { readonly events: readonly RecordedEvent[] };
}

export const readRecorded = (name: string): RecordedHistory =>
  JSON.parse(
    gunzipSync(readFileSync(path.join(folder, `${name}${ending}`))).toString('utf8'),
  ) as RecordedHistory;

/** The first value of a list of payloads; undefined where there is none, or it stands for nothing. */
export function valueOf(payloads: Payloads | undefined): unknown {
  const [first] = payloads?.payloads ?? [];
  const encoding = Buffer.from(first?.metadata?.encoding ?? '', 'base64').toString();
  if (first?.data === undefined || encoding !== 'json/plain') return undefined;
  return JSON.parse(Buffer.from(first.data, 'base64').toString('utf8')) as unknown;
}
