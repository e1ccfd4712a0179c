import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { Start } from '../../../service/portolan/start';
import { durationArgument, reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { optionsText, waitOptions } from '../../terminal/typed-options';
import { withPortolan } from '../../terminal/with-portolan';
import { beginAndFollow } from '../follow-run';

/** `portolan run retry`: a new run for just those items of an earlier one that are not known to have arrived. */
export const runRetryCommand = () =>
  new Command('retry')
    .description(
      'Imports the items of an ended run that failed, were not imported or are unaccounted for, as a new run of just these. With --bisect, where an import job fails as a whole: halves them, one import after the other, until the items at fault are known and all others are imported; a run that is parked since its import failed so is ended first.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--bisect', 'find the items with which an import fails as a whole, by halving')
    .option('--yes', 'approve the plan of a route that asks; with --bisect those of all its imports')
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .action((text, { wait, timeout, requestId, ...flags }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const given = { 'request-id': requestId, reason: flags.reason, ...waitOptions({ wait, timeout }) };
          const start: Start = { what: 'retry', run: text, request: flags };
          const following = { wait, timeoutMs: timeout, requestId, typed: optionsText(given) };
          const exit = await beginAndFollow(portolan, output, start, following);
          if (exit !== undefined) return exit;
          output.show(
            { runId: (await portolan.seekGroupRun(text)).record.runId, items: [], started: false },
            () => 'Nothing to retry.',
          );
          return exitStatus.done;
        }),
      ),
    );
