import type { RunState } from '../../model/run/run-state';
import { fillRecord } from '../../domain/run/run-record';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';

export function createRecordActivities({ store }: ActivityDeps) {
  return {
    /** Writes the run's record to the store, where it outlives Temporal's retention. A repeat overwrites. */
    async saveRecord(state: RunState): Promise<void> {
      await store.writeJson(keys.record(state.runId), await fillRecord(store, state));
    },
  };
}
