// Without zod, which workflows do not load.
import type { Approve } from '../run/run-input';
import { countOf, countWords } from '../text/words';
import type { PlanSummary } from './plan';

/** How many items an import of this plan writes. */
export const importedCount = ({ create, overwrite }: Pick<PlanSummary, 'create' | 'overwrite'>): number =>
  create + overwrite;

type Changes = Pick<PlanSummary, 'overwrite' | 'restore' | 'remove'> & Compared;

type Compared = Pick<PlanSummary, 'changed' | 'unknown' | 'same'>;

/** `2 change, 1 is unknown, 16 are identical`: the content of the target's items; empty if none was compared. */
export function comparedWords({ changed = 0, unknown = 0, same = 0 }: Compared): string {
  if (changed + unknown + same === 0) return '';
  return [
    changed > 0 ? [`${countWords(changed)} ${changed === 1 ? 'changes' : 'change'}`] : [],
    unknown > 0 ? [`${countWords(unknown)} ${unknown === 1 ? 'is' : 'are'} unknown`] : [],
    same > 0 ? [`${countWords(same)} ${same === 1 ? 'is' : 'are'} identical`] : [],
  ]
    .flat()
    .join(', ');
}

/** How many of them change, or may because they could not be compared. */
export const changingCount = ({ changed = 0, unknown = 0 }: Compared): number => changed + unknown;

/** How many items of the target this plan overwrites or removes. */
export const changedCount = ({ overwrite, restore = 0, remove = 0 }: Changes): number =>
  overwrite + restore + remove;

/** `overwrite 3 items and delete 8 items (3 change, 15 are identical)`: the changes to items of the target. */
export function changesWords(figures: Changes): string {
  const { overwrite, restore = 0, remove = 0 } = figures;
  const compared = comparedWords(figures);
  const changes = [
    overwrite + restore > 0 ? [`overwrite ${countOf(overwrite + restore, 'item')}`] : [],
    remove > 0 ? [`delete ${countOf(remove, 'item')}`] : [],
  ];
  return `${changes.flat().join(' and ')}${compared === '' ? '' : ` (${compared})`}`;
}

/**
 * `plan 1a2b-3c4d-5e6f: 3 create, 2 overwrite, 0 keep, 1 blocked; 2 change, 16 are identical`; a rollback also restores
 * and removes.
 */
export function planWords(figures: PlanSummary): string {
  const { hash, create, overwrite, restore = 0, remove = 0, keep, blocked } = figures;
  const undone = [restore > 0 ? `${restore} restore` : [], remove > 0 ? `${remove} remove` : []].flat();
  const counts = [
    `${create} create`,
    `${overwrite} overwrite`,
    ...undone,
    `${keep} keep`,
    `${blocked} blocked`,
  ];
  const compared = comparedWords(figures);
  return `plan ${hash}: ${counts.join(', ')}${compared === '' ? '' : `; ${compared}`}`;
}

type Hashes = Pick<PlanSummary, 'hash' | 'sha256'>;

/** `9f2c-41aa-03d7`: the short hash that people compare and type. */
export const shortHash = (sha256: string): string =>
  [sha256.slice(0, 4), sha256.slice(4, 8), sha256.slice(8, 12)].join('-');

/** Whether a typed hash, short or full, is that of a plan. */
export const matchesPlanHash = (plan: Hashes, typed: string): boolean =>
  [plan.hash, plan.sha256].includes(typed);

/**
 * What an approval covers: the full hash of the plan shown under the typed hash. If none is shown under it, only the
 * typed text, so that the run can report which plan it shows.
 */
export const bindToPlan = (shown: Hashes | undefined, typed: string): Pick<Approve, 'hash' | 'sha256'> =>
  shown && matchesPlanHash(shown, typed) ? { hash: typed, sha256: shown.sha256 } : { hash: typed };

/** Why an approval does not fit the shown plan; undefined if it does. */
export function notApproved(
  shown: Hashes | undefined,
  { hash, sha256 }: Pick<Approve, 'hash' | 'sha256'>,
): string | undefined {
  if (!shown || !matchesPlanHash(shown, hash))
    return shown
      ? `the plan is now ${shown.hash}, not ${hash}; review it again`
      : `there is no plan yet, so ${hash} cannot be approved`;
  if (sha256 === undefined || sha256 === shown.sha256) return undefined;
  return `the plan ${hash} differs from the approved plan although both have this short hash; review it again`;
}

/** Ensures that the hashes shown for the plans of one run are unique. */
export class PlanNames {
  /** @param first full hashes by short hash, of the plans named so far */
  constructor(private readonly first: Record<string, string> = {}) {}

  /** The plan with its short hash, or its full hash if an earlier plan has the same short one. */
  named<Plan extends Hashes>(plan: Plan): Plan {
    const first = (this.first[plan.hash] ??= plan.sha256);
    return first === plan.sha256 ? plan : { ...plan, hash: plan.sha256 };
  }
}
