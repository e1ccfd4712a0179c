import type { Queue, PortalQueueView } from '../../contract/queues';
import { durationWords } from '../../model/text/words';
import { portalQueueName } from './queue-view';

/** `number 2 in the portal queue production/import`; empty for a run in no queue. */
export function queueWords(queue: Queue | undefined): string {
  if (queue === undefined) return '';
  const { id, position } = queue;
  return `${position === undefined ? '' : `number ${position} `}in the portal queue ${portalQueueName(id)}`;
}

/** The queue position of a run and the runs that hold the slots; with `now`, for how long. */
export function standingWords(queue: Queue, view: PortalQueueView | undefined, now?: number): string {
  const age = (since: string): string =>
    now === undefined ? '' : ` for ${durationWords(now - Date.parse(since))}`;
  const holders = view?.holders.map(({ runId, since }) => `${runId}${age(since)}`) ?? [];
  return [queueWords(queue), holders.length === 0 ? '' : `slots held by ${holders.join(' and ')}`]
    .filter(Boolean)
    .join(', ');
}
