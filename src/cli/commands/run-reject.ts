import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../config/load-config';
import { exitStatus } from '../../model/error-codes';
import { shortRunId } from '../../model/run-id';
import { rejectRun, undeliveredWords } from '../answer-run';
import { findRun } from '../find-run';
import { perform } from '../globals';
import { readRun } from '../read-run';
import { withSources } from '../sources';
import { whoTypes } from '../who';

/** `portolan run reject`: says no to the plan that waits, which ends the run. */
export const runRejectCommand = () =>
  new Command('reject')
    .description('Rejects the plan that a run waits with. The run ends, and the target stays as it is.')
    .argument('<run>', 'id, an end of it, or latest')
    .option('--reason <text>', 'kept in the record')
    .action((text, { reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const { temporal } = sources;
          const runId = await findRun(sources, text);
          const { record } = await readRun(sources, runId);
          const delivery = await rejectRun(temporal, runId, record.plan?.hash, { who: whoTypes(), reason });
          const words = delivery.taken
            ? `rejected: plan ${record.plan?.hash}`
            : await undeliveredWords(temporal, config.temporal.taskQueue);
          output.show(
            { runId, rejected: record.plan?.hash, taken: delivery.taken },
            () => `${words}\ndetails  portolan run show ${shortRunId(runId)}`,
          );
          return exitStatus.done;
        });
      }),
    );
