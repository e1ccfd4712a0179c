import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { RequestEnd } from '../portal/http/request';

/** A request that somebody has sent to `portolan serve`. */
export interface ServedRequest {
  readonly method: string;
  /** The route of the server, with the names of its parts in place of these. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The span of a request while it is answered. */
export interface RequestSpan {
  /** What is done within belongs to the request. */
  within(work: () => void): void;
  end(status: number): void;
}

/** What spans are made of, where they are sent. Nothing here throws, and nothing waits for a receiver. */
export interface Tracing {
  /**
   * Does the work of a command, whose span goes on with `TRACEPARENT` where that is set. What began nothing that has a
   * span leaves none either.
   */
  command(name: string, work: () => Promise<number>): Promise<number>;
  served(request: ServedRequest): RequestSpan;
  /** Headers with which a request to a `portolan serve` carries on what it belongs to. */
  outgoing(): Record<string, string>;
  /** Told once of each request to a portal, within whatever has sent it. */
  requestEnded(end: RequestEnd): void;
  readonly workflowStarts: readonly WorkflowClientInterceptor[];
  readonly activities: readonly ActivityInterceptorsFactory[];
  /** Sends what there is, for so long at most, and makes no more spans. */
  stop(): Promise<void>;
}
