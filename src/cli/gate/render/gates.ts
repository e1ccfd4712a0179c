import { gateName, type GateView, type Queue } from '../../../service/gate/gate-view';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { durationWords, timeWords } from '../../../model/text/words';

/** `number 2 in the queue of gate production/import`; nothing for a run that stands in no queue. */
export function queueWords(queue: Queue | undefined): string {
  if (queue === undefined) return '';
  const { gate, position } = queue;
  return `${position === undefined ? '' : `number ${position} `}in the queue of gate ${gateName(gate)}`;
}

/** Where a run stands in a queue, and for whom it waits; with `now`, for how long they have been in. */
export function standingWords(queue: Queue, gate: GateView | undefined, now?: number): string {
  const age = (since: string): string => (now === undefined ? '' : ` for ${ageWords(since, now)}`);
  const holders = gate?.holders.map(({ runId, since }) => `${runId}${age(since)}`) ?? [];
  return [queueWords(queue), holders.length === 0 ? '' : `held by ${holders.join(' and ')}`]
    .filter(Boolean)
    .join(', ');
}

const ageWords = (since: string, now: number): string => durationWords(now - Date.parse(since));

/** Every gate: who is in and since when, and who waits, in their order. */
export function gateTable(gates: readonly GateView[], style: Style, now: number = Date.now()): string {
  if (gates.length === 0) return 'There are no portals, so there are no gates.';
  const rows = gates.flatMap((gate) => {
    const { slots, holders, queue } = gate;
    const free = Math.max(0, slots - holders.length);
    const stands = [
      ...holders.map(({ runId, since }) => [runId, 'in', `${timeWords(since)}, ${ageWords(since, now)} ago`]),
      ...queue.map((runId, index) => [runId, `number ${index + 1}`, '']),
    ];
    const [first = [], ...others] = stands;
    return [
      [gateName(gate), `${free} of ${slots} free`, ...first],
      ...others.map((stand) => ['', '', ...stand]),
    ];
  });
  return columns(['GATE', 'PLACES', 'RUN', 'STANDS', 'SINCE'], rows, style);
}
