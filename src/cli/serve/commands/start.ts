import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import { examples } from '../../terminal/help';

/** `portolan serve`: runs the API and web UI until it is stopped. */
export const serveStartCommand = () =>
  new Command('start')
    .description(
      "Run the API and web UI until Ctrl-C.\n\n'portolan serve' does the same. Listens at serve.address. Keeps no state, so any number can run.",
    )
    .addHelpText(...examples('', '--config rehearsal.yaml'))
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { open, keys, signIn } = config.serve;
        if (!open && keys.size === 0 && !signIn && config.hooks.size === 0)
          throw new PortolanError(
            'CONFIG_INVALID',
            `${config.path} gives no one access: serve has no keys, and there are no hooks.`,
            {
              hint: 'Create a key: portolan serve key NAME. Or let people sign in at a portal with serve.signIn. If no one else uses this machine, serve: { open: true } needs neither.',
            },
          );
        const [{ startServer }, { createWorkerLog }] = await Promise.all([
          import('../../../serve/server.js'),
          import('../../../temporal/worker-log.js'),
        ]);
        const interrupted = untilInterrupted();
        const server = await startServer(config, createWorkerLog());
        output.note(
          `serving at ${server.url}${open ? ', open to everyone who can reach it' : ''}; Ctrl-C stops it`,
        );
        await interrupted;
        await server.close();
        return exitStatus.done;
      }),
    );
