import { Command } from '@commander-js/extra-typings';
import { act } from '../../terminal/act';
import { startAndFollow } from '../../run/follow-run';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan backup drill`: shows that a snapshot can be restored. */
export const backupDrillCommand = () =>
  new Command('drill')
    .description(
      "Test that a snapshot can be restored.\n\nUploads the route's last good snapshot to its drill portal, previews the whole package and removes it. --import also imports, verifies and deletes the items. The portal must then have role: scratch and none of the items.",
    )
    .addHelpText(...examples('transport', 'transport --import'))
    .argument('<route>', argumentHelp.route)
    .option('--snapshot <id>', 'Another snapshot of the route')
    .option('--import', 'Also import the items, then delete them')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, route, { wait, timeout, requestId, ...flags }) =>
        startAndFollow(session, (how) => session.portolan.startDrill({ route, ...flags }, how), {
          wait,
          timeout,
          requestId,
        }),
      ),
    );
