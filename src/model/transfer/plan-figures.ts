import type { PlanSummary } from './plan';
import { countOf } from '../text/words';

/** How many items an import of this plan writes. */
export const importedCount = ({ create, overwrite }: Pick<PlanSummary, 'create' | 'overwrite'>): number =>
  create + overwrite;

type Changes = Pick<PlanSummary, 'overwrite' | 'restore' | 'remove'>;

/** How many items of the target this plan overwrites or removes. */
export const changedCount = ({ overwrite, restore = 0, remove = 0 }: Changes): number =>
  overwrite + restore + remove;

/** `overwrite 3 items and delete 8 items`: the changes to items of the target. */
export const changesWords = ({ overwrite, restore = 0, remove = 0 }: Changes): string =>
  [
    overwrite + restore > 0 ? [`overwrite ${countOf(overwrite + restore, 'item')}`] : [],
    remove > 0 ? [`delete ${countOf(remove, 'item')}`] : [],
  ]
    .flat()
    .join(' and ');

/** `plan 1a2b-3c4d-5e6f: 3 create, 2 overwrite, 0 keep, 1 blocked`; a rollback also restores and removes. */
export function planWords(figures: PlanSummary): string {
  const { hash, create, overwrite, restore = 0, remove = 0, keep, blocked } = figures;
  const undone = [restore > 0 ? `${restore} restore` : [], remove > 0 ? `${remove} remove` : []].flat();
  return `plan ${hash}: ${[`${create} create`, `${overwrite} overwrite`, ...undone, `${keep} keep`, `${blocked} blocked`].join(', ')}`;
}
