import { partOfPromotion, type PromotionInput, type PromotionPart } from '../release/promotion-input';
import { groupBackup, type ReleaseInput } from '../release/release-input';
import { type BisectInput, type BisectPart, syncOfPart, type Part } from './run-input';

/** Which child run a parent starts: all that its own start does not say. */
export type Which = BisectPart | { readonly index: number } | PromotionPart;

const parts: Readonly<Record<string, ((whole: object, which: Which) => Part) | undefined>> = {
  bisect: (search, which) => ({
    workflow: 'sync',
    input: syncOfPart(search as BisectInput, which as BisectPart),
  }),
  release: (release, which) => ({
    workflow: 'backup',
    input: groupBackup(release as ReleaseInput, (which as { index: number }).index),
  }),
  promotion: (promotion, which) => partOfPromotion(promotion as PromotionInput, which as PromotionPart),
};

/**
 * A child run, derived from its parent's start: by the parent, and by the worker that signs it.
 * @param kind of the parent
 * @throws RangeError if the parent has no such child run
 */
export function partOf(kind: string, whole: object, which: Which): Part {
  const derive = parts[kind];
  if (!derive) throw new RangeError(`a ${kind} has no child runs`);
  return derive(whole, which);
}
