import type { Attributes, AttributeValue, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { maskSecrets } from '../model/text/mask-secrets';
import { shortened } from '../model/text/shortened';

/** What may be said of a span. All else that may be put into one stays here. */
const sent: ReadonlySet<string> = new Set([
  ...['run', 'kind', 'route', 'phase', 'portal', 'attempt', 'outcome', 'operation', 'portal_code'].map(
    (name) => `portolan.${name}`,
  ),
  ...['temporal.run_id', 'temporal.activity_id', 'error.type', 'process.exit.code'],
  ...['http.request.method', 'http.request.body.size', 'http.response.status_code'],
  ...['http.response.body.size', 'http.route', 'server.address', 'server.port', 'url.path'],
]);

/** @format characters */
const VALUE_MAX = 256;
const NAME_MAX = 128;

/** Outcomes that are none of an error, whatever the library takes them for. */
const notFailed: ReadonlySet<unknown> = new Set(['not yet', 'cancelled']);

/**
 * A span as it leaves this process: named attributes, masked and bounded, and no words of an error or of whoever began
 * its trace.
 */
export function cleanSpan(span: ReadableSpan): ReadableSpan {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(span.attributes)) {
    const clean = sent.has(name) ? cleanValue(value) : undefined;
    if (clean !== undefined) attributes[name] = clean;
  }
  return {
    name: cleanText(span.name, NAME_MAX),
    kind: span.kind,
    spanContext: () => placeOf(span),
    parentSpanId: span.parentSpanId,
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    status: { code: notFailed.has(attributes['portolan.outcome']) ? 0 : span.status.code },
    attributes,
    links: [],
    events: [],
    resource: span.resource,
    instrumentationLibrary: span.instrumentationLibrary,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Where a span stands; the `tracestate` that others may have given with its trace is any text. */
function placeOf(span: ReadableSpan): SpanContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, traceFlags };
}

const cleanText = (text: string, most = VALUE_MAX): string => shortened(maskSecrets(text), most);

function cleanValue(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return cleanText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
