import type { RunState } from '../../model/run/run-state';
import { noteEnd } from '../../domain/control/admitted-start';
import { indexRun } from '../../domain/run/run-index';
import { fillRecord } from '../../domain/run/run-record';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';

/** Most runs in `indexed`: a terminated run, or one that ends on another worker, is never removed. */
const REMEMBERED_MAX = 10_000;

/**
 * Saves the run's record in the store, where it outlives Temporal's retention. A repeat overwrites.
 * @param isLast nothing is done for the run after this
 */
export async function saveRecord(
  { store, indexed }: ActivityDeps,
  state: RunState,
  isLast: boolean,
): Promise<void> {
  const { runId } = state;
  if (!indexed.has(runId)) await indexRun(store, state);
  if (indexed.size >= REMEMBERED_MAX) indexed.clear();
  indexed.add(runId);
  await store.writeJson(keys.record(runId), await fillRecord(store, state));
  if (!isLast) return;
  indexed.delete(runId);
  await noteEnd(store, runId);
}
