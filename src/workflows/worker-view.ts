import type { AskWorker, WorkerView } from '../model/run/worker-view';
import { authenticateStart } from './run/define-run';
import { getWorkerView } from './run/activity-options';

/** Asks any worker what its configuration allows. It is no run and stores nothing. */
export async function workerView(input: AskWorker): Promise<WorkerView> {
  await authenticateStart(input);
  return await getWorkerView();
}
