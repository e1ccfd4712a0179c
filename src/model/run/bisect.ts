import type { Route } from '../transfer/route';
import type { Reuse } from './run-input';

/** What starts a search for the items with which an import fails as a whole. Holds no secret. */
export interface BisectInput {
  readonly runId: string;
  /** The items to search among stand in its options, as `items` or `itemList`. */
  readonly route: Route;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  readonly reason?: string;
  /** The run that failed. */
  readonly parent: string;
  /** The package that holds all of the items. @default each part that has none of an earlier one is exported */
  readonly reuse?: Reuse;
  /** An import of exactly these items has failed as a whole, so that it is not tried again. */
  readonly wholeFailed: boolean;
}

/** Name of the workflow on the wire. */
export const bisectWorkflow = 'bisect';
