import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { portalQueueAddress } from '../../../service/run/release-slot';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan queue release`: frees a run's slot, so that the next run gets it. */
export const queueReleaseCommand = () =>
  new Command('release')
    .description(
      'Free the slot of a run in a portal queue.\n\nThe next run gets the slot. This stops neither the run nor its portal job, so two jobs may run at once. Ended runs hold no slot.',
    )
    .argument('<queue>', 'PORTAL/export or PORTAL/import')
    .argument('<run>', 'Run that holds the slot: ID or unique ID suffix')
    .requiredOption('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action((queueText, runText, { reason }, command) =>
      perform(command, (output, globals) =>
        withPortolan(
          globals,
          async (portolan) => {
            const held = await portolan.seekHolder(queueText, runText);
            const { portal, direction, runId } = held;
            output.note(
              output.side.colors.yellow(
                `warning  ${runId} continues. If its job still runs on ${portal}, the next ${direction} runs beside it.`,
              ),
            );
            const shown = await portolan.releaseSlot(held, reason);
            const words = shown.unanswered ?? `released: ${runId} no longer holds a slot of ${queueText}`;
            output.show(
              shown,
              () => `${words}\nqueues   portolan queue list\ndetails  portolan run show ${shortRunId(runId)}`,
            );
            return exitStatus.done;
          },
          (config) => void portalQueueAddress(config, queueText),
        ),
      ),
    );
