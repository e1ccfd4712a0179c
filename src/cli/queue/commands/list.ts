import { Command } from '@commander-js/extra-typings';
import type { PortalQueueView } from '../../../contract/queues';
import { durationWords, timeWords } from '../../../model/text/words';
import { portalQueueName } from '../../../service/portal-queue/queue-words';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan queue list`: runs that hold a slot, since when, and runs that wait; needs no worker. */
export const queueListCommand = () =>
  new Command('list')
    .description(
      'List the export and import queues of every portal.\n\nPortal queues limit exports and imports; they are not Temporal task queues. Shows slots, the runs that hold them, since when, and waiting runs in order.',
    )
    .addHelpText(...examples(''))
    .action(
      act(async ({ portolan, output }) => {
        const queues = await portolan.listQueues();
        output.showList(queues, (style) => queueTable(queues, style));
      }),
    );

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
        `${timeWords(since)}, ${durationWords(now - Date.parse(since))} ago`,
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
