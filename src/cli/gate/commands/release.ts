import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import { perform } from '../../terminal/globals';
import { releaseGate, seekHolder } from '../../../service/gate/release-gate';
import { unansweredWords } from '../../../temporal/send-update';
import { withSources } from '../../../service/run/run-sources';

/** `portolan gate release`: takes a run's place at a gate away, so that the next one is let in. */
export const gateReleaseCommand = () =>
  new Command('release')
    .description(
      'Takes the place of a run at a gate away and lets in the next one. It stops neither the run nor its job on the portal, so that two jobs may run there at a time. A run that is over has left its place already.',
    )
    .argument('<gate>', 'PORTAL/export or PORTAL/import')
    .argument('<run>', 'id of the run that holds it, or an end of it')
    .requiredOption('--reason <text>', 'kept in the record of the run')
    .action((gateText, runText, { reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const { address, holder } = await seekHolder(sources, gateText, runText);
          const { runId } = holder;
          const run = shortRunId(runId);
          output.note(
            output.side.colors.yellow(
              `warning  ${runId} itself goes on: if a job of it still runs on ${address.portal}, the next ${address.direction} is let in beside it.`,
            ),
          );
          const delivery = await releaseGate(sources, address, holder, reason);
          const words =
            delivery.answer === undefined
              ? await unansweredWords(sources.temporal, config.temporal.taskQueue, delivery)
              : `released: ${runId} no longer holds ${gateText}`;
          output.show(
            { gate: gateText, runId, released: true, taken: delivery.taken },
            () => `${words}\nlook     portolan gate list\ndetails  portolan run show ${run}`,
          );
          return exitStatus.done;
        });
      }),
    );
