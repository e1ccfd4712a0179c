import { plan, type Plan, type PlanRow } from '../../../model/transfer/plan';
import { PortolanError } from '../../../model/errors/errors';
import type { Store } from '../../../store/store';

/** A plan that the run has stored; its absence means that somebody emptied the store. */
export async function readPlanFile(store: Store, ref: string): Promise<Plan> {
  const found = await store.readJson(ref, plan);
  if (!found)
    throw new PortolanError('STORE_BROKEN', `the plan ${ref} is gone from the store at ${store.where}`);
  return found;
}

/** The rows that an import of this plan carries out. */
export const importedRows = ({ rows }: Plan): PlanRow[] =>
  rows.filter(({ action }) => action === 'create' || action === 'overwrite');
