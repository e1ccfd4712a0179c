import { Command } from '@commander-js/extra-typings';
import { startAndFollow } from '../../run/follow-run';
import { act } from '../../terminal/act';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan protect run`: backs up every group of a rule now. */
export const protectRunCommand = () =>
  new Command('run')
    .description(
      'Back up every group that matches a rule now.\n\nOne child run per group. A group that fails does not stop the others; the run then ends as partial.',
    )
    .addHelpText(...examples('official --reason "before the upgrade"'))
    .argument('<rule>', argumentHelp.rule)
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, rule, { wait, timeout, requestId, reason }) =>
        startAndFollow(session, (how) => session.portolan.startProtect({ rule, reason }, how), {
          wait,
          timeout,
          requestId,
        }),
      ),
    );
