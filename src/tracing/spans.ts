import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { RequestEnd } from '../portal/http/request';

/** A request to `portolan serve`. */
export interface ServedRequest {
  readonly method: string;
  /** The route's pattern, with names in place of values. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The span of a request until its response. */
export interface RequestSpan {
  /** Spans started within belong to the request. */
  within(work: () => void): void;
  end(status: number): void;
}

/** Makes spans. Nothing here throws or waits for a receiver. */
export interface Tracing {
  /**
   * Runs a command in a span, continuing `TRACEPARENT` if set. If it starts no other span, its own is not sent.
   */
  command(name: string, work: () => Promise<number>): Promise<number>;
  served(request: ServedRequest): RequestSpan;
  /** Headers that pass the current trace on in a request to `portolan serve`. */
  outgoing(): Record<string, string>;
  /** Called once for each request to a portal, in the context that sent it. */
  requestEnded(end: RequestEnd): void;
  readonly workflowStarts: readonly WorkflowClientInterceptor[];
  readonly activities: readonly ActivityInterceptorsFactory[];
  /** Sends remaining spans within a time limit, and makes no more. */
  stop(): Promise<void>;
}
