import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { concernsOf, statusSheet } from '../../../service/status/status-sheet';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** `portolan status`: what needs attention, for people and monitors. */
export const statusCommand = () =>
  new Command('status')
    .description(
      'Show what needs attention.\n\nAlso shows what is running and what is due next.\n\nExit status for monitors:\n  0   nothing needs attention\n  2   a worker lacks a secret, or has another store or other portals\n  3   a backup is overdue or unproven, a run failed or was partial in the last 24 hours, or something could not be checked\n  4   a run is waiting or parked, writes are frozen, or a schedule was paused by hand or differs from portolan.yaml\n  11  no worker is running, or Temporal is unreachable',
    )
    .addHelpText(...examples('', '-o json'))
    .action(
      act(async ({ portolan, output }) => {
        const status = await portolan.readStatus();
        const exit = concernsOf(status)[0]?.exit ?? exitStatus.done;
        output.show({ ...status, exit }, () => statusSheet(status));
        return exit;
      }),
    );
