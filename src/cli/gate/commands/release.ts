import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { gateAddress } from '../../../service/gate/release-gate';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan gate release`: takes a run's place at a gate away, so that the next one is let in. */
export const gateReleaseCommand = () =>
  new Command('release')
    .description(
      'Free the slot of a run in a portal queue.\n\nThe next run gets the slot. Neither the run nor its job on the portal is stopped, so two jobs may run at once. Ended runs hold no slot.',
    )
    .argument('<gate>', 'PORTAL/export or PORTAL/import')
    .argument('<run>', 'Run that holds the slot: ID or unique ID suffix')
    .requiredOption('--reason <text>', 'Reason, saved with the run', reasonArgument)
    .action((gateText, runText, { reason }, command) =>
      perform(command, (output, globals) =>
        withPortolan(
          globals,
          async (portolan) => {
            const held = await portolan.seekHolder(gateText, runText);
            const { portal, direction, runId } = held;
            output.note(
              output.side.colors.yellow(
                `warning  ${runId} itself goes on: if a job of it still runs on ${portal}, the next ${direction} is let in beside it.`,
              ),
            );
            const { shown, unanswered } = await portolan.releaseGate(held, reason);
            const words = unanswered ?? `released: ${runId} no longer holds ${gateText}`;
            output.show(
              shown,
              () => `${words}\nlook     portolan gate list\ndetails  portolan run show ${shortRunId(runId)}`,
            );
            return exitStatus.done;
          },
          (config) => void gateAddress(config, gateText),
        ),
      ),
    );
