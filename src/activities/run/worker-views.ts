import type { WorkerView } from '../../model/run/worker-view';
import type { ActivityDeps } from '../deps';

/** What this worker's configuration allows. */
export async function getWorkerView({ view }: ActivityDeps): Promise<WorkerView> {
  return await view();
}
