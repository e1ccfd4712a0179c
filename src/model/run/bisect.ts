import type { SyncInput } from './run-input';

/**
 * Starts a bisect: finds the items that make an import fail as a whole. The items are in the route's options, as
 * `items` or `itemList`; the starter approves all of its imports.
 */
export interface BisectInput extends SyncInput {
  /** The run that failed. */
  readonly parent: string;
  /** An import of exactly these items has failed as a whole, so that it is not tried again. */
  readonly wholeFailed: boolean;
}
