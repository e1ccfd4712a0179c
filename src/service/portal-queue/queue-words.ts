import type { PortalQueueView, Queue } from '../../contract/queues';
import { type PortalQueueAddress, parsePortalQueueId } from '../../model/run/portal-queue';
import type { Value } from '../../model/text/sheet';

/** `production/import`: a portal queue as people write it. */
export const portalQueueName = (queue: string | Omit<PortalQueueAddress, 'taskQueue'>): string => {
  const address = typeof queue === 'string' ? parsePortalQueueId(queue) : queue;
  return address === undefined ? String(queue) : `${address.portal}/${address.direction}`;
};

/** `number 2 in the portal queue production/import`; empty for a run in no queue. */
export function queueWords(queue: Queue | undefined): string {
  if (queue === undefined) return '';
  const { id, position } = queue;
  return `${position === undefined ? '' : `number ${position} `}in the portal queue ${portalQueueName(id)}`;
}

/** The queue position of a run, and the runs that hold the slots, each with how long. */
export const queueStanding = (queue: Queue, view: PortalQueueView | undefined): Value[] => [
  queueWords(queue),
  ...(view?.holders ?? []).map(({ runId, since }, at): Value => [
    at === 0 ? ', slots held by ' : ' and ',
    { run: runId, whole: true },
    ' for ',
    { from: since },
  ]),
];
