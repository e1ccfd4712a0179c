import type { SyncInput } from './run-input';

/**
 * What starts a search for the items with which an import fails as a whole. The items to search among stand in the
 * options of the route, as `items` or `itemList`; whoever starts it says yes to all of its imports.
 */
export interface BisectInput extends SyncInput {
  /** The run that failed. */
  readonly parent: string;
  /** An import of exactly these items has failed as a whole, so that it is not tried again. */
  readonly wholeFailed: boolean;
}
