import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';

/** `portolan serve`: answers over HTTP until it is stopped. */
export const serveStartCommand = () =>
  new Command('start')
    .description(
      'Answers at serve.address of portolan.yaml what can be asked of Portolan over HTTP, until Ctrl-C. It keeps nothing: any number of them may run.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { open, keys, signIn } = config.serve;
        if (!open && keys.size === 0 && !signIn && config.hooks.size === 0)
          throw new PortolanError(
            'CONFIG_INVALID',
            `${config.path} gives nobody access: serve has no keys, and there are no hooks.`,
            {
              hint: 'Create a key: portolan serve key NAME. Or let people sign in at a portal with serve.signIn. On a machine you share with nobody, serve: { open: true } needs neither.',
            },
          );
        const [{ startServer }, { createWorkerLog }] = await Promise.all([
          import('../../../serve/server.js'),
          import('../../../temporal/worker-log.js'),
        ]);
        const interrupted = untilInterrupted();
        const server = await startServer(config, createWorkerLog());
        output.note(`serve answers at ${server.url}${open ? ', whoever asks' : ''}; Ctrl-C stops it`);
        await interrupted;
        await server.close();
        return exitStatus.done;
      }),
    );
