import type { Route } from './route';

/** What starts a sync. Travels through history: holds no secret. */
export interface SyncInput {
  /** The Temporal workflow id, and the only id that people see. */
  readonly runId: string;
  readonly route: Route;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  /** `--yes`: approves the first plan of a route with `approval: ask`; never one with `required`. */
  readonly yes: boolean;
  /** `--request-id`, where given. */
  readonly requestId?: string;
}

/** Argument of the update `approve`. */
export interface Approve {
  /** Hash of the plan that was seen. */
  readonly hash: string;
  readonly who: string;
  readonly reason?: string;
}

/** Argument of the update `reject` and of the signal `cancel`. */
export interface Refuse {
  readonly who: string;
  readonly reason?: string;
}

/** Names on the wire between starter and workflow. */
export const messageNames = {
  state: 'state',
  approve: 'approve',
  reject: 'reject',
  cancel: 'cancel',
} as const;
