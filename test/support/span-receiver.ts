import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type ProxyTracerProvider, trace } from '@opentelemetry/api';
import root from '@opentelemetry/otlp-transformer/build/src/generated/root';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { z } from 'zod';
import { startTracing } from '../../src/tracing/tracing';
import type { Certificate } from './authority';
import { close, listen, portOf, withBody } from './listening';
import { until } from './until';

interface Batches {
  decode(body: Uint8Array): object;
  toObject(message: object, how: { readonly longs: typeof String; readonly arrays: true }): unknown;
}
interface Generated {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Batches } };
      };
    };
  };
}
/** What the exporter encodes with. */
const batches = (root as unknown as Generated).opentelemetry.proto.collector.trace.v1
  .ExportTraceServiceRequest;

const value = z.union([
  z.object({ stringValue: z.string() }).transform((each) => each.stringValue),
  z.object({ intValue: z.union([z.number(), z.string()]) }).transform((each) => Number(each.intValue)),
  z.object({ doubleValue: z.number() }).transform((each) => each.doubleValue),
  z.object({ boolValue: z.boolean() }).transform((each) => each.boolValue),
]);
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .default([])
  .transform((all) => Object.fromEntries(all.map((each) => [each.key, each.value])));

/** @format hexadecimal digits, which come as bytes */
const id = (digits: number) =>
  z
    .instanceof(Uint8Array)
    .transform((bytes) => Buffer.from(bytes).toString('hex'))
    .refine((text) => text.length === digits);

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const statuses = ['unset', 'ok', 'error'] as const;

/** What a batch of OTLP over HTTP has of a span, and nothing that it may have besides. */
const span = z.strictObject({
  traceId: id(32),
  spanId: id(16),
  traceState: z.string().optional(),
  parentSpanId: id(16).optional(),
  name: z.string(),
  kind: z.number().transform((each) => kinds[each]),
  startTimeUnixNano: z.string().transform(BigInt),
  endTimeUnixNano: z.string().transform(BigInt),
  attributes,
  droppedAttributesCount: z.literal(0),
  events: z.tuple([]),
  droppedEventsCount: z.literal(0),
  links: z.tuple([]),
  droppedLinksCount: z.literal(0),
  status: z.strictObject({ code: z.number().transform((each) => statuses[each]) }),
  flags: z.number().optional(),
});
export type ReceivedSpan = z.infer<typeof span> & { readonly service: unknown };

const batch = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export interface SpanReceiverOptions {
  /** By which it answers over https. @default http */
  readonly certificate?: Certificate;
  /** What it answers instead of taking what comes. @default 200, and 404 elsewhere than at /v1/traces */
  readonly status?: number;
  readonly headers?: http.OutgoingHttpHeaders;
}

/** A receiver of OTLP over HTTP, as a collector is. */
export class SpanReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Everything that came, as text. */
  readonly bodies: string[] = [];
  readonly headers: http.IncomingHttpHeaders[] = [];
  private readonly server: http.Server;

  private constructor(private readonly options: SpanReceiverOptions) {
    const { certificate } = options;
    const listener = withBody((request, body, response) => this.answer(request, body, response));
    this.server = certificate
      ? https.createServer(
          { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) },
          listener,
        )
      : http.createServer(listener);
  }

  static async open(options: SpanReceiverOptions = {}): Promise<SpanReceiver> {
    const receiver = new SpanReceiver(options);
    await listen(receiver.server);
    return receiver;
  }

  get endpoint(): string {
    const scheme = this.options.certificate ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${portOf(this.server)}`;
  }

  private answer(request: http.IncomingMessage, body: Buffer, response: http.ServerResponse): void {
    this.bodies.push(body.toString('latin1'));
    this.headers.push(request.headers);
    const { status = request.url === '/v1/traces' ? 200 : 404, headers } = this.options;
    if (status === 200) this.take(batches.toObject(batches.decode(body), { longs: String, arrays: true }));
    response.writeHead(status, headers).end('{}');
  }

  private take(body: unknown): void {
    for (const { resource, scopeSpans } of batch.parse(body).resourceSpans)
      for (const { spans } of scopeSpans)
        this.spans.push(...spans.map((each) => ({ ...each, service: resource.attributes['service.name'] })));
  }

  /** Those of a run's trace, once that of the run itself has come, and all that this process has made until now. */
  async traceOf(runId: string): Promise<readonly ReceivedSpan[]> {
    const provider = (trace.getTracerProvider() as ProxyTracerProvider).getDelegate();
    if (provider instanceof BasicTracerProvider) await provider.forceFlush();
    const { traceId } = await until('the span of a run', () => this.ofRun(runId)[0]!);
    return this.spans.filter((each) => each.traceId === traceId);
  }

  /** Spans of the run itself: one, or more where it is continued. */
  ofRun(runId: string): readonly ReceivedSpan[] {
    return this.spans.filter(
      ({ name, attributes }) => name.startsWith('RunWorkflow:') && attributes['portolan.run'] === runId,
    );
  }

  close = (): Promise<void> => close(this.server);
}

/** The names of a span and of all that it is below, the nearest first. @returns with the id that nobody in it has */
export function above(spans: readonly ReceivedSpan[], start: ReceivedSpan): string[] {
  const names: string[] = [];
  let at: ReceivedSpan | undefined = start;
  let parent: string | undefined = start.spanId;
  while (at) {
    names.push(at.name);
    parent = at.parentSpanId || undefined;
    at = spans.find(({ spanId }) => spanId === parent);
  }
  return parent === undefined ? names : [...names, parent];
}

/** Starts the tracing of this process, to a receiver. */
export async function traceTo(
  { endpoint }: Pick<SpanReceiver, 'endpoint'>,
  say: (words: string) => void,
): Promise<void> {
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  try {
    await startTracing(say);
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
}
