import { Command } from '@commander-js/extra-typings';
import type { PortalQueueView } from '../../../contract/queues';
import type { Block, Value } from '../../../model/text/sheet';
import { portalQueueName } from '../../../service/portal-queue/queue-words';
import { act } from '../../terminal/act';
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
        output.showList(queues, () => [queueTable(queues)]);
      }),
    );

/** Every portal queue: runs that hold a slot and since when, and runs that wait, in order. */
export const queueTable = (queues: readonly PortalQueueView[]): Block => ({
  columns: ['Queue', 'Slots', 'Run', 'Status', 'Since'],
  rows: queues.flatMap((queue): Value[][] => {
    const { slots, holders, waiting } = queue;
    const free = Math.max(0, slots - holders.length);
    const [first = [], ...others] = [
      ...holders.map(({ runId, since }): Value[] => [
        { run: runId, whole: true },
        'holds a slot',
        [{ time: since }, ', ', { from: since }, ' ago'],
      ]),
      ...waiting.map((runId, at): Value[] => [{ run: runId, whole: true }, `waiting, number ${at + 1}`]),
    ];
    return [
      [portalQueueName(queue), `${free} of ${slots} free`, ...first],
      ...others.map((stand) => ['', '', ...stand]),
    ];
  }),
  empty: 'No portals are configured, so there are no portal queues.',
});
