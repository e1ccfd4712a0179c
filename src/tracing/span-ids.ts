import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';

/** Ids at random, but for a trace that is named by whoever begins it. */
export class SpanIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private named: string | undefined;

  generateTraceId(): string {
    return this.named ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.random.generateSpanId();
  }

  /** What begins a trace within this call gives it that id. */
  naming<T>(traceId: string, work: () => T): T {
    this.named = traceId;
    try {
      return work();
    } finally {
      this.named = undefined;
    }
  }
}
