import { isChosen } from '../transfer/route';
import { partRunId } from './run-id';
import type { Reuse, SyncInput } from './run-input';

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

/** A range of the item list, imported together. */
export interface BisectPart {
  /** Of the run, from 1. */
  readonly number: number;
  /** Index of its first item. */
  readonly from: number;
  readonly count: number;
  /** The package that holds them, if kept. */
  readonly reuse?: Reuse;
}

/** What starts the sync of a part. */
export function syncOfPart(
  { runId, route, startedBy }: BisectInput,
  { number, from, count, reuse }: BisectPart,
): SyncInput {
  const { options } = route;
  const { items, itemList } = options;
  const some = isChosen(options) && {
    items: items?.slice(from, from + count),
    itemList: itemList && { ...itemList, from: itemList.from + from, count },
  };
  return {
    runId: partRunId(runId, number),
    route: { ...route, options: { ...options, ...some } },
    startedBy,
    // The starter of the bisect has approved all its imports.
    yes: true,
    parent: runId,
    parks: false,
    reuse,
  };
}
