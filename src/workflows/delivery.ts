import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/activities';
import type { Delivery, DeliveryNote } from '../model/run/notification';
import { authenticateStart } from './run/define-run';

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
