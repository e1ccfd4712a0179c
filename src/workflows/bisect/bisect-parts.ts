import { isChosen, type RouteOptions } from '../../model/transfer/route';
import type { Reuse } from '../../model/run/run-input';

/** Some neighbors of the list of items, which are imported together. */
export interface Part {
  /** Place in the list, from 0. */
  readonly from: number;
  readonly count: number;
  /** The package that holds them, where one is kept. */
  readonly reuse?: Reuse;
  /** The first of two halves of a part that failed: where it ends well, the fault is in the other one. */
  readonly isFirst?: boolean;
}

/**
 * Two halves of a part that failed, the first one last, as a stack has them. The smaller one is tried first: where it
 * fails, the other half costs an import as well; where it ends well, the other one is known to fail.
 */
function halvesOf({ from, count, reuse }: Part): [second: Part, first: Part] {
  const half = Math.floor(count / 2);
  return [
    { from: from + half, count: count - half, reuse },
    { from, count: half, reuse, isFirst: true },
  ];
}

/**
 * What is still to be tried once a part was. One that failed is halved, unless it is a single item. One that ended
 * well tells of its other half that the fault is there: that is halved without a try of its own.
 */
export function afterPart(pending: readonly Part[], part: Part, hasFailed: boolean): Part[] {
  if (hasFailed) return part.count > 1 ? [...pending, ...halvesOf(part)] : [...pending];
  const second = pending.at(-1);
  if (!part.isFirst || !second || second.count === 1) return [...pending];
  return [...pending.slice(0, -1), ...halvesOf(second)];
}

/** The parts to begin with. */
export function firstParts(count: number, reuse: Reuse | undefined, wholeFailed: boolean): Part[] {
  const whole: Part = { from: 0, count, reuse };
  return wholeFailed && count > 1 ? halvesOf(whole) : [whole];
}

/** So many items one by one, and no part has ended well: then the fault is the portal's, and not theirs. */
const HOPELESS_FROM = 8;

/** Whether what is left would fail as well, for all that has been seen. */
export const isHopeless = (pending: readonly Part[], itemsFailed: number, hasArrived: boolean): boolean =>
  pending.length > 0 && itemsFailed >= HOPELESS_FROM && !hasArrived;

export const countOf = ({ items, itemList }: RouteOptions): number => itemList?.count ?? items?.length ?? 0;

/** The options of a run for a part only. */
export function optionsFor(options: RouteOptions, { from, count }: Part): RouteOptions {
  if (!isChosen(options)) return options;
  const { items, itemList } = options;
  return {
    ...options,
    items: items?.slice(from, from + count),
    itemList: itemList && { ...itemList, from: itemList.from + from, count },
  };
}
