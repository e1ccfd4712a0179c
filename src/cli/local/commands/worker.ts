import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';

/** `portolan worker`: works for the configured Temporal until it is stopped. */
export const workerCommand = () =>
  new Command('worker')
    .summary('a worker for the Temporal of portolan.yaml')
    .description('Runs a worker against the Temporal of portolan.yaml, until Ctrl-C.')
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { runWorker } = await import('../../../worker.js');
        const worker = await runWorker(config);
        const interrupted = untilInterrupted();
        const { address, namespace, taskQueue } = config.temporal;
        output.note(
          `worker ${worker.identity} polls "${taskQueue}" at ${address} (${namespace}); Ctrl-C stops it`,
        );
        await Promise.race([interrupted, worker.stopped]);
        await worker.stop();
        return exitStatus.done;
      }),
    );
