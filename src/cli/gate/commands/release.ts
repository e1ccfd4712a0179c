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
      'Takes the place of a run at a gate away and lets in the next one. It stops neither the run nor its job on the portal, so that two jobs may run there at a time. A run that is over has left its place already.',
    )
    .argument('<gate>', 'PORTAL/export or PORTAL/import')
    .argument('<run>', 'id of the run that holds it, or an end of it')
    .requiredOption('--reason <text>', 'kept in the record of the run', reasonArgument)
    .action((gateText, runText, { reason }, command) =>
      perform(command, (output, globals) =>
        withPortolan(
          globals,
          async (portolan) => {
            const held = await portolan.seekHolder(gateText, runText);
            const { portal, direction, runId } = held;
            output.note(
              output.side.colors.yellow(
                `warning  ${runId} continues. If its job still runs on ${portal}, the next ${direction} starts beside it.`,
              ),
            );
            const { shown, unanswered } = await portolan.releaseGate(held, reason);
            const words = unanswered ?? `released: ${runId} no longer holds a slot of ${gateText}`;
            output.show(
              shown,
              () => `${words}\nqueues   portolan queue list\ndetails  portolan run show ${shortRunId(runId)}`,
            );
            return exitStatus.done;
          },
          (config) => void gateAddress(config, gateText),
        ),
      ),
    );
