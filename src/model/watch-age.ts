/** Name of the workflow on the wire. */
export const watchWorkflow = 'watchAge';

/** What the watch over the age of snapshots is started with. */
export interface WatchInput {
  readonly routes: readonly WatchedRoute[];
}

export interface WatchedRoute {
  readonly name: string;
  /** Of the source. */
  readonly groupId: string;
  /** How old the last good snapshot may be. @format milliseconds */
  readonly maxAgeMs: number;
}
