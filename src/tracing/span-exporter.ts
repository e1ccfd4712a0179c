import type { Attributes, AttributeValue, SpanContext } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { maskSecrets } from '../model/text/mask-secrets';
import { shortened } from '../model/text/plain-text';

/** Where spans are sent; the exporter reads the address and its headers from OpenTelemetry's variables. */
export interface SpanReceiver {
  /** For people: without path and query, which may contain a key. */
  readonly host: string;
  /** PEM of its certificate authority. @default the usual ones */
  readonly ca?: string;
}

/** The exporter reads address and headers from OpenTelemetry's variables. */
export const exporterTo = ({ ca }: SpanReceiver): SpanExporter =>
  new OTLPTraceExporter(ca === undefined ? {} : { httpAgentOptions: { ca, keepAlive: true } });

/** Sends only cleaned spans. Reports once when sending fails, and once when it works again. */
export class CleanExporter implements SpanExporter {
  private isAway = false;

  constructor(
    private readonly to: SpanExporter,
    private readonly host: string,
    private readonly say: (words: string) => void,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.to.export(spans.map(cleanSpan), (result) => {
      this.note(result);
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  async shutdown(): Promise<void> {
    await this.to.shutdown();
  }

  /** Reports that nothing was accepted in time. */
  noteSilence(): void {
    this.note({ code: ExportResultCode.FAILED });
  }

  private note({ code, error }: ExportResult): void {
    const isAway = code !== ExportResultCode.SUCCESS;
    if (isAway && !this.isAway)
      this.say(`cannot send traces to ${this.host} (${reasonOf(error)}); runs are not affected`);
    if (!isAway && this.isAway) this.say(`can send traces to ${this.host} again`);
    this.isAway = isAway;
  }
}

/** Statuses the exporter retries, without saying which one it got. */
const RETRIED = 'HTTP 429, 502, 503 or 504';

/** Only a code, because a message may contain what was sent. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'number') return `HTTP ${code}`;
  if (typeof code === 'string') return code.slice(0, 40);
  return error?.name === 'OTLPExporterError' ? RETRIED : 'not accepted in time';
}

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
    spanContext: () => contextOf(span),
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
function contextOf(span: ReadableSpan): SpanContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, traceFlags };
}

const cleanText = (text: string, most = VALUE_MAX): string => shortened(maskSecrets(text), most);

function cleanValue(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return cleanText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
