import { durationWords } from '../../model/text/words';
import { gateName, type GateView, type Queue } from './gate-view';

/** `number 2 in the queue for production/import`; empty for a run in no queue. */
export function queueWords(queue: Queue | undefined): string {
  if (queue === undefined) return '';
  const { gate, position } = queue;
  return `${position === undefined ? '' : `number ${position} `}in the queue for ${gateName(gate)}`;
}

/** The queue position of a run and the runs that hold the slots; with `now`, for how long. */
export function standingWords(queue: Queue, gate: GateView | undefined, now?: number): string {
  const age = (since: string): string =>
    now === undefined ? '' : ` for ${durationWords(now - Date.parse(since))}`;
  const holders = gate?.holders.map(({ runId, since }) => `${runId}${age(since)}`) ?? [];
  return [queueWords(queue), holders.length === 0 ? '' : `slots held by ${holders.join(' and ')}`]
    .filter(Boolean)
    .join(', ');
}
