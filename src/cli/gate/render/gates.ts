import { gateName, type GateView } from '../../../service/gate/gate-view';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { durationWords, timeWords } from '../../../model/text/words';

const ageWords = (since: string, now: number): string => durationWords(now - Date.parse(since));

/** Every portal queue: the runs that hold slots and the runs that wait, in order. */
export function gateTable(gates: readonly GateView[], style: Style, now: number = Date.now()): string {
  if (gates.length === 0) return 'No portals, so no portal queues.';
  const rows = gates.flatMap((gate) => {
    const { slots, holders, queue } = gate;
    const free = Math.max(0, slots - holders.length);
    const stands = [
      ...holders.map(({ runId, since }) => [
        runId,
        'holds a slot',
        `${timeWords(since)}, ${ageWords(since, now)} ago`,
      ]),
      ...queue.map((runId, index) => [runId, `waiting, number ${index + 1}`, '']),
    ];
    const [first = [], ...others] = stands;
    return [
      [gateName(gate), `${free} of ${slots} free`, ...first],
      ...others.map((stand) => ['', '', ...stand]),
    ];
  });
  return columns(['QUEUE', 'SLOTS', 'RUN', 'STATE', 'SINCE'], rows, style);
}
