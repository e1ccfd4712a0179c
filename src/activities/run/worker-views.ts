import type { WorkerView } from '../../model/run/worker-view';
import type { ActivityDeps } from '../deps';

export function createWorkerViewActivities({ view }: Pick<ActivityDeps, 'view'>) {
  return {
    /** What this worker's configuration allows. */
    async getWorkerView(): Promise<WorkerView> {
      return await view();
    },
  };
}
