import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { readUp } from '../../../temporal/dev-server/up-file';
import { perform } from '../../terminal/globals';
import { examples } from '../../terminal/help';

/** A worker that is stopped gives its transfers half a minute; the server ends after it. */
const STOP_LIMIT_MS = 60_000;
const LOOK_MS = 100;

/** `portolan down`: stops what `up` started. */
export const downCommand = () =>
  new Command('down')
    .description(
      "Stop what 'up' started.\n\nStops the worker and then Temporal. Their state is on disk; runs continue at the next start.",
    )
    .addHelpText(...examples('', '--config rehearsal.yaml'))
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const { state } = loadConfig(globals.config).temporal;
        const pid = (await readUp(state))?.pid;
        if (pid !== undefined) await endProcess(state, pid);
        output.show({ ended: pid !== undefined, pid }, () =>
          pid === undefined
            ? 'Nothing is running.'
            : 'Stopped the worker and Temporal. Runs continue at the next start.',
        );
        return exitStatus.done;
      }),
    );

/** Ends an `up`: its worker, then the server. Throws `ADDRESS_IN_USE` if it does not end. */
async function endProcess(state: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const limit = AbortSignal.timeout(STOP_LIMIT_MS);
  while ((await readUp(state))?.pid === pid) {
    if (limit.aborted)
      throw new PortolanError(
        'ADDRESS_IN_USE',
        `Process ${pid} was asked to stop but has not stopped within ${STOP_LIMIT_MS / 1000} s.`,
        { hint: `A second signal stops it at once: kill ${pid}` },
      );
    await sleep(LOOK_MS);
  }
}
