import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../config/load-config';
import { exitStatus } from '../../model/error-codes';
import { shortRunId } from '../../model/run-id';
import { cancelRun } from '../answer-run';
import { findRun } from '../find-run';
import { perform } from '../globals';
import { withSources } from '../sources';
import { workersOf } from '../temporal';
import { whoTypes } from '../who';

/** `portolan run cancel`: asks a run to end, which cleans up behind itself. */
export const runCancelCommand = () =>
  new Command('cancel')
    .description(
      'Asks a run to end. It removes its packages first; a job that runs on a portal cannot be stopped.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--reason <text>', 'kept in the record')
    .action((text, { reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const { temporal } = sources;
          const runId = await findRun(sources, text);
          await cancelRun(temporal, runId, { who: whoTypes(), reason });
          const workers = await workersOf(temporal, config.temporal.taskQueue);
          const words =
            workers.length > 0
              ? 'asked to end; it removes its packages first'
              : 'sent, not yet taken: no worker is up. It ends when one is.';
          output.show(
            { runId, cancelled: true, taken: workers.length > 0 },
            () => `${words}\nwatch    portolan run watch ${shortRunId(runId)}`,
          );
          return exitStatus.done;
        });
      }),
    );
