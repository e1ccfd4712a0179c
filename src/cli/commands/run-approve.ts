import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../config/load-config';
import { exitStatus } from '../../model/error-codes';
import { shortRunId } from '../../model/run-id';
import { approveRun, undeliveredWords } from '../answer-run';
import { findRun } from '../find-run';
import { perform } from '../globals';
import { withSources } from '../sources';
import { whoTypes } from '../who';

/** `portolan run approve`: says yes to exactly one plan. */
export const runApproveCommand = () =>
  new Command('approve')
    .description('Approves the plan that a run waits with. The hash says which plan you saw.')
    .argument('<run>', 'id, an end of it, or latest')
    .requiredOption('--plan <hash>', 'hash of the plan, as run show prints it')
    .option('--reason <text>', 'kept in the record')
    .action((text, { plan: hash, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const runId = await findRun(sources, text);
          const { temporal } = sources;
          const delivery = await approveRun(temporal, runId, { hash, who: whoTypes(), reason });
          const words = delivery.taken
            ? `approved: plan ${hash}`
            : await undeliveredWords(temporal, config.temporal.taskQueue);
          output.show(
            { runId, approved: hash, taken: delivery.taken },
            () => `${words}\nwatch    portolan run watch ${shortRunId(runId)}`,
          );
          return exitStatus.done;
        });
      }),
    );
