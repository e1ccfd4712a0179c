import { Command } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import { act } from '../../terminal/act';
import { startAndFollow } from '../follow-run';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan run retry`: starts a new run for the items that are not known to have arrived. */
export const runRetryCommand = () =>
  new Command('retry')
    .description(
      'Import the items of an ended run that did not arrive.\n\nThese are items that failed, were not imported or are unaccounted for. --bisect halves them until the items that make an import fail are known and all others are imported. It first ends a run parked by such a failure.',
    )
    .addHelpText(...examples('latest', 'k7q2 --bisect --yes'))
    .argument('<run>', argumentHelp.run)
    .option('--bisect', 'Find the items that make an import fail as a whole')
    .option('--yes', 'Approve the plan, if the route allows it; with --bisect, all plans')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act(async (session, run, { wait, timeout, requestId, ...flags }) => {
        const { portolan, output } = session;
        try {
          return await startAndFollow(session, (how) => portolan.retryRun({ run, ...flags }, how), {
            wait,
            timeout,
            requestId,
          });
        } catch (thrown) {
          if (!(thrown instanceof PortolanError) || thrown.code !== 'NOTHING_TO_RETRY') throw thrown;
          const { runId } = (await portolan.viewRun({ run, ofGroup: true })).record;
          output.show({ runId, items: [], started: false }, () => 'Nothing to retry.');
          return thrown.meaning.exit;
        }
      }),
    );
