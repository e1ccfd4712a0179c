import { describe, expect, it } from '@jest/globals';
import { type Context, createTraceState, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { cleanSpan } from '../../src/tracing/span-exporter';

/** A span as a library may have made it. */
function made(
  attributes: Record<string, string | number>,
  name = 'RunActivity:pollJob',
  parent: Context = ROOT_CONTEXT,
) {
  const kept = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept)] });
  const span = provider.getTracer('test').startSpan(name, { attributes }, parent);
  span.recordException(new Error('planted-words of a portal: token=planted-token'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'planted-words' });
  span.end();
  return cleanSpan(kept.getFinishedSpans()[0]!);
}

describe('an exported span', () => {
  it('has no error message, and only listed attributes [P15]', () => {
    const span = made({
      'error.type': 'UNAVAILABLE',
      memo: 'planted-memo',
      'http.url': 'https://a/?planted',
    });
    expect(span).toMatchObject({ status: { code: SpanStatusCode.ERROR }, events: [], links: [] });
    expect(span.status).not.toHaveProperty('message');
    expect(span.attributes).toEqual({ 'error.type': 'UNAVAILABLE' });
  });

  it('is masked and bounded in each text, as in its name', () => {
    const { name, attributes } = made(
      { 'url.path': `/a?token=planted-token&b=${'x'.repeat(1_000)}`, 'portolan.route': 'y'.repeat(1_000) },
      `GET token=planted-token ${'z'.repeat(1_000)}`,
    );
    expect(JSON.stringify([name, attributes])).not.toContain('planted');
    for (const text of [name, ...Object.values(attributes)]) expect(String(text).length).toBeLessThan(300);
  });

  it('has its place in an outer trace, and none of its state', () => {
    const place = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
    const theirs = { ...place, traceState: createTraceState('v=planted') };
    const span = made({}, 'POST /x', trace.setSpanContext(ROOT_CONTEXT, theirs));
    expect(span.parentSpanId).toBe(place.spanId);
    expect(span.spanContext()).toEqual({ ...place, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  it.each(['not yet', 'cancelled'])('is no error with the outcome "%s"', (outcome) => {
    expect(made({ 'portolan.outcome': outcome }).status).toEqual({ code: SpanStatusCode.UNSET });
  });
});
