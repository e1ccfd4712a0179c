import type { AskWorker, WorkerView } from '../model/run/worker-view';
import { admitted } from './run/authenticate';
import { getWorkerView } from './run/activity-options';

/** Asks whichever worker takes it what it can do by its configuration; is no run, and leaves nothing in the store. */
export async function workerView(input: AskWorker): Promise<WorkerView> {
  await admitted(input);
  return await getWorkerView();
}
