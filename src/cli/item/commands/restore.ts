import { Command, Option } from '@commander-js/extra-typings';
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
import { itemHelp } from '../item-help';

/** `portolan item restore`: brings one item back. */
export const itemRestoreCommand = () =>
  new Command('restore')
    .description(
      'Restore one item from a snapshot.\n\nShows a plan, asks for approval, saves what it overwrites, imports and verifies. Every other item stays as it is. A deleted item returns with its ID, owner, folder and sharing.',
    )
    .addHelpText(
      ...examples(
        'a1000000000000000000000000000001 --at latest:transport --yes',
        'a1000000000000000000000000000001 --at k7q2 --plan-only',
      ),
    )
    .argument('<item>', itemHelp)
    .requiredOption('--at <snapshot>', argumentHelp.snapshot)
    .option('--to <portal>', 'Target portal (default: where it was backed up)')
    .option('--into <id>', 'Target group (default: where it was backed up)')
    .addOption(
      new Option('--data <policy>', 'Keep or replace data of an existing hosted layer').choices([
        'keep',
        'replace',
      ]),
    )
    .option('--plan-only', 'Stop after the plan')
    .option('--yes', 'Approve the plan')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, item, { wait, timeout, requestId, ...flags }) =>
        startAndFollow(session, (how) => session.portolan.restoreItem({ item, ...flags }, how), {
          wait,
          timeout,
          requestId,
        }),
      ),
    );
