/** A position in a trace, as in W3C Trace Context: the parent of new spans. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether spans of this trace are sent anywhere. */
  readonly isSampled: boolean;
}

/** What travels in the header of a workflow and of its calls: a `traceparent`, and what only the workflow knows. */
export interface CarriedTrace {
  readonly traceparent?: string;
  readonly phase?: string;
  readonly route?: string;
  readonly portal?: string;
}

/** Name of that header, as Temporal's own interceptors have it in every language. */
export const TRACE_HEADER = '_tracer-data';

/** The call by which a run is let in: it is the first one, and finds a trace for a run that came without any. */
export const FIRST_CALL = 'admitStart';

const form = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/**
 * What a `traceparent` says; undefined where it says nothing, as when it is of a later form.
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, traceId, spanId, flags = ''] = form.exec(text) ?? [];
  if (traceId === undefined || traceId === NO_TRACE || spanId === undefined || spanId === NO_SPAN)
    return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/**
 * The trace of a workflow execution that came without any: all digits of its id. So it is the same at each attempt of the
 * call that begins it.
 */
export const traceIdOfExecution = (execution: string): string => execution.replaceAll('-', '');

/**
 * The span of a workflow execution: the last 16 digits of the id that Temporal gave it. So it is the same at every
 * replay, and takes nothing from the numbers that workflow code draws.
 */
export const spanIdOfExecution = (execution: string): string => traceIdOfExecution(execution).slice(-16);
