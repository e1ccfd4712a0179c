import type { WorkerView } from '../../model/run/worker-view';
import type { ActivityDeps } from '../deps';

export function createWorkerViewActivities({ view }: Pick<ActivityDeps, 'view'>) {
  return {
    /** What this worker can do by its configuration. */
    async getWorkerView(): Promise<WorkerView> {
      return await view();
    },
  };
}
