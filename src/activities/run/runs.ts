import type { Proof, ReceivedAnswer, ReceivedStart } from '../../model/run/signature';
import type { Which } from '../../model/release/promotion-input';
import { timestamp } from '../attempt/heartbeat';
import type { ActivityDeps } from '../deps';
import type { RunState } from '../../model/run/run-state';
import { noteEnd } from '../../domain/control/admitted-start';
import { indexRun } from '../../domain/run/run-index';
import { fillRecord } from '../../domain/run/run-record';
import { keys } from '../../store/keys';
import type { WorkerView } from '../../model/run/worker-view';

/** Accepts a start, or throws NOT_AUTHENTIC. A repeat is accepted again. */
export async function admitStart({ authority }: ActivityDeps, start: ReceivedStart): Promise<void> {
  await authority.admitStart(start);
}

/** Accepts a decision, or throws NOT_AUTHENTIC. */
export async function admitAnswer({ authority }: ActivityDeps, answer: ReceivedAnswer): Promise<void> {
  await authority.admitAnswer(answer);
}

/** Signs a child run of a run. */
export async function signPart(
  { authority }: ActivityDeps,
  { runId, which }: { readonly runId: string; readonly which: Which },
): Promise<Proof> {
  return await authority.signPart(runId, which);
}

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
  await noteEnd(store, runId, timestamp());
}

/** What this worker's configuration allows. */
export async function getWorkerView({ view }: ActivityDeps): Promise<WorkerView> {
  return await view();
}
