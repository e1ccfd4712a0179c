import type { RouteOptions } from '../../model/transfer/route';
import type { BisectPart, Reuse } from '../../model/run/run-input';

/** A part to try. */
export interface Part extends Omit<BisectPart, 'number'> {
  /** The first half of a failed part: if it succeeds, the other half must contain the failing item. */
  readonly isFirst?: boolean;
}

/**
 * Halves a failed part; the first half comes last, because parts are a stack. The smaller half is tried first: only if
 * it fails does the other one need an import.
 */
function halvesOf({ from, count, reuse }: Part): [second: Part, first: Part] {
  const half = Math.floor(count / 2);
  return [
    { from: from + half, count: count - half, reuse },
    { from, count: half, reuse, isFirst: true },
  ];
}

/**
 * The parts still to try after `part`. A failed part is halved unless it is a single item. If a first half succeeded,
 * its other half must fail, so it is halved untried.
 */
export function afterPart(pending: readonly Part[], part: Part, hasFailed: boolean): Part[] {
  if (hasFailed) return part.count > 1 ? [...pending, ...halvesOf(part)] : [...pending];
  const second = pending.at(-1);
  if (!part.isFirst || !second || second.count === 1) return [...pending];
  return [...pending.slice(0, -1), ...halvesOf(second)];
}

/** The initial parts. */
export function firstParts(count: number, reuse: Reuse | undefined, wholeFailed: boolean): Part[] {
  const whole: Part = { from: 0, count, reuse };
  return wholeFailed && count > 1 ? halvesOf(whole) : [whole];
}

/** After this many single items failed and none succeeded, the cause is the portal. */
const HOPELESS_FROM = 8;

/** Whether the remaining parts would probably fail too. */
export const isHopeless = (pending: readonly Part[], itemsFailed: number, hasArrived: boolean): boolean =>
  pending.length > 0 && itemsFailed >= HOPELESS_FROM && !hasArrived;

export const itemCountOf = ({ items, itemList }: RouteOptions): number =>
  itemList?.count ?? items?.length ?? 0;
