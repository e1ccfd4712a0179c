import { type PortalQueueAddress, parsePortalQueueId } from '../../model/run/portal-queue';

/** `production/import`: a portal queue as people write it. */
export const portalQueueName = (queue: string | PortalQueueAddress): string => {
  const address = typeof queue === 'string' ? parsePortalQueueId(queue) : queue;
  return address === undefined ? String(queue) : `${address.portal}/${address.direction}`;
};
