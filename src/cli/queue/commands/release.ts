import { Command } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import { type Direction, directions } from '../../../model/run/portal-queue';
import { shortRunId } from '../../../model/run/run-id';
import { act } from '../../terminal/act';
import { reasonArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan queue release`: frees a run's slot, so that the next run gets it. */
export const queueReleaseCommand = () =>
  new Command('release')
    .description(
      'Free the slot of a run in a portal queue.\n\nThe next run gets the slot. This stops neither the run nor its portal job, so two jobs may run at once. Ended runs hold no slot.',
    )
    .addHelpText(...examples('production/import k7q2 --reason "portal job stopped manually"'))
    .argument('<queue>', 'PORTAL/export or PORTAL/import')
    .argument('<run>', 'Run that holds the slot: ID or unique ID suffix')
    .requiredOption('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action(
      act(async ({ portolan, output }, queue, run, { reason }) => {
        const { portal, direction } = parseQueueName(queue);
        const { runId, since } = await portolan.readHolder({ portal, direction, run });
        output.warn(
          `${runId} continues. If its job still runs on ${portal}, the next ${direction} runs beside it.`,
        );
        const released = await portolan.releaseSlot({ portal, direction, run: runId, since, reason });
        output.show(released, () => [
          {
            title: released.unanswered ?? `released: ${runId} no longer holds a slot of ${queue}`,
            facts: [
              ['queues', { command: 'portolan queue list' }],
              ['details', { command: `portolan run show ${shortRunId(runId)}` }],
            ],
          },
        ]);
      }),
    );

/** Parses `PORTAL/export` or `PORTAL/import`. Throws `USAGE` otherwise. */
function parseQueueName(text: string): { readonly portal: string; readonly direction: Direction } {
  const [, portal, word] = /^(.+)\/([^/]*)$/.exec(text) ?? [];
  const direction = directions.find((each) => each === word);
  if (portal !== undefined && direction !== undefined) return { portal, direction };
  throw new PortolanError('USAGE', `"${text}" is not a portal queue. Write PORTAL/export or PORTAL/import.`, {
    hint: 'List portal queues with: portolan queue list',
  });
}
