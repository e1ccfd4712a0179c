/** A position in a trace, as in W3C Trace Context: the parent of new spans. */
interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether spans of this trace are sent anywhere. */
  readonly isSampled: boolean;
}

/** The header of a run and of its activities, not validated yet. */
export interface CarriedTrace {
  /** The context that started the outermost run; absent if a schedule started it. */
  readonly traceparent?: unknown;
  /** First execution IDs of the run and of those it is part of, the outermost first. */
  readonly runs?: readonly unknown[];
  readonly phase?: string;
  readonly route?: string;
  readonly portal?: string;
}

/** Name of that header, as Temporal's own interceptors have it in every language. */
export const TRACE_HEADER = '_tracer-data';

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

/** Where a run stands in its trace. */
export interface RunPlace extends Omit<TraceContext, 'isSampled'> {
  /** The span of its parent run, or of its start. */
  readonly parentSpanId?: string;
  /** Whether spans of this trace are sent; undefined if the trace starts with a run. */
  readonly isSampled?: boolean;
}

const executionForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The place of the innermost run. Its IDs come from execution IDs, so every worker, attempt and replay finds the same. */
export function placeOf({ traceparent, runs = [] }: CarriedTrace): RunPlace | undefined {
  const begun = parseTraceparent(traceparent);
  const digits = runs
    .filter((run): run is string => typeof run === 'string' && executionForm.test(run))
    .map((run) => run.replaceAll('-', ''));
  const [parentSpanId, spanId] = [begun?.spanId, ...digits.map((run) => run.slice(-16))].slice(-2);
  const traceId = begun?.traceId ?? digits[0];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, parentSpanId, isSampled: begun?.isSampled };
}
