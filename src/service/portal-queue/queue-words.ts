import { durationWords } from '../../model/text/words';
import { portalQueueName, type PortalQueueView, type Queue } from './queue-view';

/** `number 2 in the portal queue production/import`; nothing for a run that waits in no queue. */
export function queueWords(queue: Queue | undefined): string {
  if (queue === undefined) return '';
  const { id, position } = queue;
  return `${position === undefined ? '' : `number ${position} `}in the portal queue ${portalQueueName(id)}`;
}

/** Where a run stands in a queue, and for whom it waits; with `now`, for how long they have been in. */
export function standingWords(queue: Queue, view: PortalQueueView | undefined, now?: number): string {
  const age = (since: string): string =>
    now === undefined ? '' : ` for ${durationWords(now - Date.parse(since))}`;
  const holders = view?.holders.map(({ runId, since }) => `${runId}${age(since)}`) ?? [];
  return [queueWords(queue), holders.length === 0 ? '' : `held by ${holders.join(' and ')}`]
    .filter(Boolean)
    .join(', ');
}
