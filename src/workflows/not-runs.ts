import { log, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/activities';
import type { Delivery, DeliveryNote } from '../model/run/notification';
import type { AskWorker, WorkerView } from '../model/run/worker-view';
import type { AgeLook, WatchInput } from '../model/snapshot/watch-age';
import { getWorkerView, reading, sending, writing } from './run/activity-options';
import { authenticateStart } from './run/run-to-end';

/** Workflows that are no runs: they have no record. */

/**
 * Checks the age of each route's last good snapshot and notifies subscribers, because a night on which no backup starts
 * leaves no run that could fail. A schedule starts it every few minutes.
 */
export async function watchAge(input: WatchInput): Promise<Pick<AgeLook, 'route' | 'ageMs'>[]> {
  await authenticateStart(input);
  const { workflowId: watchId } = workflowInfo();
  const looks = await reading('last good snapshots').lookAtAges({ watch: input, watchId });
  for (const { route, notice, note, ageMs } of looks) {
    if (notice) {
      const warnings = await sending(notice.event).notify({ ...notice, watch: input });
      for (const warning of warnings) log.warn(warning);
    }
    if (note !== undefined)
      await writing(`backup age of ${route.name}`).noteAge({ route, note, watch: input });
    log.debug('age of the last good snapshot', { route: route.name, ageMs });
  }
  return looks.map(({ route, ageMs }) => ({ route, ageMs }));
}

/** The activity sets its own retry delay and end. These options are for a worker that dies meanwhile. */
const { deliver } = proxyActivities<Activities>({
  heartbeatTimeout: '20 seconds',
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '6 days',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

/** Sends one message to one receiver until accepted, for some days. It is no run, and none waits for it. */
export async function delivery(given: Delivery): Promise<DeliveryNote['status']> {
  await authenticateStart(given);
  return await deliver(given);
}

/** Asks any worker what its configuration allows. It is no run and stores nothing. */
export async function workerView(input: AskWorker): Promise<WorkerView> {
  await authenticateStart(input);
  return await getWorkerView();
}
