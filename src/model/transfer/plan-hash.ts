import type { PlanSummary } from './plan';

type Hashes = Pick<PlanSummary, 'hash' | 'sha256'>;

/** What two plans are compared by: the whole hash. Runs that began under an earlier version have the short form alone. */
export const planIdentity = ({ hash, sha256 = hash }: Hashes): string => sha256;

/** `9f2c-41aa-03d7`: as much of a hash as people compare and type. */
export const shortHash = (sha256: string): string =>
  [sha256.slice(0, 4), sha256.slice(4, 8), sha256.slice(8, 12)].join('-');

/** Whether a plan is meant by what was typed: the hash that it is shown with, or the whole of it. */
export const isNamed = (plan: Hashes, typed: string): boolean =>
  [plan.hash, planIdentity(plan)].includes(typed);

/**
 * What an approval binds: the whole hash of the plan that is shown under what was typed. Where none is shown under it,
 * what was typed alone, so that the run can say which it shows.
 */
export const bound = (shown: Hashes | undefined, typed: string): Hashes =>
  shown && isNamed(shown, typed) ? { hash: typed, sha256: shown.sha256 } : { hash: typed };

/** Why an approval is not one of the plan that a run shows; undefined where it is. */
export function notApproved(shown: Hashes | undefined, { hash, sha256 }: Hashes): string | undefined {
  if (!shown || !isNamed(shown, hash))
    return shown
      ? `the plan is now ${shown.hash}, not ${hash}; review it again`
      : `there is no plan yet, so ${hash} cannot be approved`;
  if (sha256 === undefined || sha256 === planIdentity(shown)) return undefined;
  return `the plan ${hash} differs from the approved plan although both have this short hash; review it again`;
}

/** Sees to it that what the plans of one run are shown with stands for one of them each. */
export class PlanNames {
  readonly #first = new Map<string, string>();

  /** The plan under its short form, or under its whole hash where an earlier one has the same short form. */
  named<Plan extends Hashes>(plan: Plan): Plan {
    const identity = planIdentity(plan);
    const first = this.#first.get(plan.hash) ?? identity;
    this.#first.set(plan.hash, first);
    return first === identity ? plan : { ...plan, hash: identity };
  }
}
