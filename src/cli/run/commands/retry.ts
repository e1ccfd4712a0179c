import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import type { Start } from '../../../service/portolan/start';
import { perform } from '../../terminal/globals';
import { optionsText, waitOptions } from '../../terminal/typed-options';
import { withPortolan } from '../../terminal/with-portolan';
import { beginAndFollow } from '../follow-run';
import { argumentHelp } from '../../terminal/argument-help';
import { noWaitOption, reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan run retry`: starts a new run for the items that are not known to have arrived. */
export const runRetryCommand = () =>
  new Command('retry')
    .description(
      'Import the items of an ended run that did not arrive.\n\nThese are items that failed, were not imported or are unaccounted for. --bisect halves them until the items that make an import fail are known and all others are imported. It first ends a run parked by such a failure.',
    )
    .argument('<run>', argumentHelp.run)
    .option('--bisect', 'Find the items that make an import fail as a whole')
    .option('--yes', 'Approve the plan, if the route allows it; with --bisect, all plans')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((text, { wait, timeout, requestId, ...flags }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const given = { 'request-id': requestId, reason: flags.reason, ...waitOptions({ wait, timeout }) };
          const start: Start = { what: 'retry', run: text, request: flags };
          const following = { wait, timeoutMs: timeout, requestId, typed: optionsText(given) };
          const exit = await beginAndFollow(portolan, output, start, following);
          if (exit !== undefined) return exit;
          output.show(
            {
              runId: (await portolan.portolan.viewRun({ run: text, ofGroup: true })).record.runId,
              items: [],
              started: false,
            },
            () => 'Nothing to retry.',
          );
          return exitStatus.done;
        }),
      ),
    );
