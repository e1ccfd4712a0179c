import type { PortalQueueView } from '../../../contract/queues';
import { portalQueueName } from '../../../service/portal-queue/queue-view';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { durationWords, timeWords } from '../../../model/text/words';

const ageWords = (since: string, now: number): string => durationWords(now - Date.parse(since));

/** Every portal queue: runs that hold a slot and since when, and runs that wait, in order. */
export function queueTable(
  queues: readonly PortalQueueView[],
  style: Style,
  now: number = Date.now(),
): string {
  if (queues.length === 0) return 'No portals are configured, so there are no portal queues.';
  const rows = queues.flatMap((queue) => {
    const { slots, holders, waiting } = queue;
    const free = Math.max(0, slots - holders.length);
    const stands = [
      ...holders.map(({ runId, since }) => [
        runId,
        'holds a slot',
        `${timeWords(since)}, ${ageWords(since, now)} ago`,
      ]),
      ...waiting.map((runId, index) => [runId, `waiting, number ${index + 1}`, '']),
    ];
    const [first = [], ...others] = stands;
    return [
      [portalQueueName(queue), `${free} of ${slots} free`, ...first],
      ...others.map((stand) => ['', '', ...stand]),
    ];
  });
  return columns(['QUEUE', 'SLOTS', 'RUN', 'STATUS', 'SINCE'], rows, style);
}
