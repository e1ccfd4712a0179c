/** A job on a portal as it travels through history. */
export interface JobHandle {
  readonly kind: 'job';
  readonly jobId: string;
  /** Sealed; absent where the portal gave none. */
  readonly sealedKey?: string;
}

export interface ListSizes {
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

/** How an export or import job ended. */
export interface JobOutcome {
  /** The portal's last word, as it wrote it. */
  readonly status: string;
  readonly polls: number;
  readonly elapsedMs: number;
  /** Export: the package item. */
  readonly packageItemId?: string;
  /** Why it could not be tagged as created by Portolan. */
  readonly unmarked?: string;
  /** Sizes of the three lists, which are in the store; absent if the portal gave none. */
  readonly lists?: ListSizes;
}

/** What a poll says when it waits; found by the next attempt, and by `run show` in the pending activities. */
export interface JobProgress {
  readonly lastStatus?: string;
  readonly polls: number;
  readonly consecutiveErrors: number;
  /** Start of the row of errors, milliseconds since the epoch. */
  readonly errorsSince?: number;
  readonly lastError?: string;
}
