import type { RunState } from '../../model/run/run-state';
import { noteEnd } from '../../domain/control/admitted-start';
import { fillRecord } from '../../domain/run/run-record';
import { keys } from '../../store/keys';
import { requireLocal } from '../attempt/callers';
import type { ActivityDeps } from '../deps';

export function createRecordActivities({ store }: Pick<ActivityDeps, 'store'>) {
  return {
    /** Writes the run's record to the store, where it outlives Temporal's retention. A repeat overwrites. */
    async saveRecord(state: RunState): Promise<void> {
      requireLocal();
      await store.writeJson(keys.record(state.runId), await fillRecord(store, state));
      if (state.finishedAt !== undefined) await noteEnd(store, state.runId);
    },
  };
}
