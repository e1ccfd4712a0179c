import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';

/** `portolan down`: stops what `up` started. */
export const downCommand = () =>
  new Command('down')
    .description(
      "Stop what 'up' started.\n\nStops the worker and then Temporal. Their state is on disk; runs continue at the next start.",
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { endUp, runningUp } = await import('../detached.js');
        const up = await runningUp(config);
        if (up !== undefined) await endUp(up);
        output.show({ ended: up !== undefined, pid: up?.owner.pid }, () =>
          up === undefined
            ? 'Nothing is running.'
            : 'Stopped the worker and Temporal. Runs continue at the next start.',
        );
        return exitStatus.done;
      }),
    );
