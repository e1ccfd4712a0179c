import type { RunState } from '../../model/run/run-state';
import { noteEnd } from '../../domain/control/admitted-start';
import { indexRun } from '../../domain/run/run-index';
import { fillRecord } from '../../domain/run/run-record';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';

/** So many runs go on with one worker at most. Of one that was terminated, or has ended with another, no end is heard. */
const REMEMBERED_MAX = 10_000;

export function createRecordActivities({ store }: Pick<ActivityDeps, 'store'>) {
  /** Runs that this worker has noted in the store's index, and that go on. */
  const indexed = new Set<string>();
  return {
    /**
     * Writes the run's record to the store, where it outlives Temporal's retention. A repeat overwrites.
     * @param isLast nothing is done for the run any more
     */
    async saveRecord(state: RunState, isLast: boolean): Promise<void> {
      const { runId } = state;
      if (!indexed.has(runId)) await indexRun(store, state);
      if (indexed.size >= REMEMBERED_MAX) indexed.clear();
      indexed.add(runId);
      await store.writeJson(keys.record(runId), await fillRecord(store, state));
      if (!isLast) return;
      indexed.delete(runId);
      await noteEnd(store, runId);
    },
  };
}
