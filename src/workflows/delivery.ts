import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/activities';
import type { Delivery, DeliveryNote } from '../model/hook/delivery';
import { admitted } from './run/authenticate';

/** The activity says itself when it is tried next and when no more; what stands here is for a worker that is gone meanwhile. */
const { deliver } = proxyActivities<Activities>({
  heartbeatTimeout: '20 seconds',
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '6 days',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

/** Sends one message to one receiver until it takes it, for some days. No run, and no run waits for it. */
export async function delivery(given: Delivery): Promise<DeliveryNote['status']> {
  await admitted(given);
  return await deliver(given);
}
