import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { nameIn } from '../../../model/run/worker-view';
import { lackingWords } from '../../run/able-workers';
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
        const { keepWorker } = await import('../../../kept-worker.js');
        const worker = await keepWorker(config, { onEvent: (event) => output.note(event) });
        const interrupted = untilInterrupted();
        const { address, namespace, taskQueue } = config.temporal;
        output.note(
          `worker ${nameIn(worker.identity)} polls "${taskQueue}" at ${address} (${namespace}); Ctrl-C stops it`,
        );
        for (const line of lackingWords(worker.view)) output.note(line);
        await Promise.race([interrupted, worker.stopped]);
        await worker.stop();
        return exitStatus.done;
      }),
    );
