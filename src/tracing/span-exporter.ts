import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { headersIn } from '../model/text/header-list';
import { cleanSpan } from './clean-span';
import type { SpanReceiver } from './settings';

/** @param headers as the variable has them: `name=value,name=value` */
export function exporterTo({ url, form }: SpanReceiver, headers: string | undefined): SpanExporter {
  const Exporter = form === 'json' ? JsonExporter : ProtobufExporter;
  return new Exporter({
    ...(url && { url }),
    ...(headers && { headers: Object.fromEntries(headersIn(headers)) }),
  });
}

/** Lets out nothing but clean spans, and says once when they do not arrive, and once when they do again. */
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

  /** Nothing has arrived by when nobody waits any more. */
  noteSilence(): void {
    this.note({ code: ExportResultCode.FAILED });
  }

  private note({ code, error }: ExportResult): void {
    const isAway = code !== ExportResultCode.SUCCESS;
    if (isAway && !this.isAway)
      this.say(
        `traces do not arrive at ${this.host} (${reasonOf(error)}); everything else goes on without them`,
      );
    if (!isAway && this.isAway) this.say(`traces arrive at ${this.host} again`);
    this.isAway = isAway;
  }
}

/** A code and no words: these may hold what was sent. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'number') return `HTTP ${code}`;
  return typeof code === 'string' ? code.slice(0, 40) : 'no answer in time';
}
