import { durationWords } from '../../model/text/words';
import { gateName, type GateView, type Queue } from './gate-view';

/** `number 2 in the queue of gate production/import`; nothing for a run that stands in no queue. */
export function queueWords(queue: Queue | undefined): string {
  if (queue === undefined) return '';
  const { gate, position } = queue;
  return `${position === undefined ? '' : `number ${position} `}in the queue of gate ${gateName(gate)}`;
}

/** Where a run stands in a queue, and for whom it waits; with `now`, for how long they have been in. */
export function standingWords(queue: Queue, gate: GateView | undefined, now?: number): string {
  const age = (since: string): string =>
    now === undefined ? '' : ` for ${durationWords(now - Date.parse(since))}`;
  const holders = gate?.holders.map(({ runId, since }) => `${runId}${age(since)}`) ?? [];
  return [queueWords(queue), holders.length === 0 ? '' : `held by ${holders.join(' and ')}`]
    .filter(Boolean)
    .join(', ');
}
