import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { type RunningUp, readUp } from '../../../temporal/dev-server/up-file';
import { perform } from '../../terminal/globals';

/** A worker that is stopped gives its transfers half a minute; the server ends after it. */
const STOP_LIMIT_MS = 60_000;
const LOOK_MS = 100;

/** `portolan down`: stops what `up` started. */
export const downCommand = () =>
  new Command('down')
    .description(
      "Stop what 'up' started.\n\nStops the worker and then Temporal. Their state is on disk; runs continue at the next start.",
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const { state } = config.temporal;
        const up = await readUp(state);
        if (up !== undefined) await endUp(state, up);
        output.show({ ended: up !== undefined, pid: up?.pid }, () =>
          up === undefined
            ? 'Nothing is running.'
            : 'Stopped the worker and Temporal. Runs continue at the next start.',
        );
        return exitStatus.done;
      }),
    );

/** Ends an `up`: its worker, then the server. Throws `ADDRESS_IN_USE` if it does not end. */
async function endUp(state: string, { pid }: RunningUp): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (
    const deadline = Date.now() + STOP_LIMIT_MS;
    (await readUp(state))?.pid === pid;
    await sleep(LOOK_MS)
  ) {
    if (Date.now() > deadline)
      throw new PortolanError(
        'ADDRESS_IN_USE',
        `Process ${pid} was asked to stop but has not stopped within ${STOP_LIMIT_MS / 1000} s.`,
        { hint: `A second signal stops it at once: kill ${pid}` },
      );
  }
}
