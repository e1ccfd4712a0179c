import { type Plan, plan } from '../../model/transfer/plan';
import type { RunRecord } from '../../model/run/run';
import type { Store } from '../../store/store';

/** The plan of a run with its rows; undefined where it lies in a store that is not seen from here. */
export async function readPlan(store: Store, record: RunRecord): Promise<Plan | undefined> {
  const ref = record.plan?.ref;
  return ref === undefined ? undefined : store.readJson(ref, plan).catch(() => undefined);
}
