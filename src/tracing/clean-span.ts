import type { Attributes, AttributeValue, SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { maskSecrets } from '../model/text/mask-secrets';
import { shortened } from '../model/text/shortened';

/** The span attributes that are sent. All others are dropped. */
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

/** Outcomes that are no errors, although libraries report them as such. */
const notFailed: ReadonlySet<unknown> = new Set(['not yet', 'cancelled']);

/** A span to send: only listed attributes, masked and shortened, without error messages or foreign `tracestate`. */
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

/** The span's context without `tracestate`, which others can set to any text. */
function placeOf(span: ReadableSpan): SpanContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, traceFlags };
}

const cleanText = (text: string, most = VALUE_MAX): string => shortened(maskSecrets(text), most);

function cleanValue(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return cleanText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
