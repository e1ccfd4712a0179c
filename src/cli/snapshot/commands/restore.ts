import { Command, Option } from '@commander-js/extra-typings';
import {
  itemsArgument,
  taskArgument,
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { act } from '../../terminal/act';
import { startAndFollow, statusWith } from '../../run/follow-run';
import { examples } from '../../terminal/help';

/** `portolan restore`: restores a snapshot into a group. */
export const restoreCommand = () =>
  new Command('restore')
    .description(
      'Restore a snapshot into a group.\n\nShows a plan, asks for approval, saves what it overwrites, imports and verifies. The group may be on another portal.',
    )
    .addHelpText(
      ...examples(
        'latest:transport --to production --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --plan-only',
        'latest:transport --to production --into 47ab0c9d52e64f6c8b1e7a3d9c604503 --overwrite --yes',
      ),
    )
    .argument('<snapshot>', argumentHelp.snapshot)
    .requiredOption('--to <portal>', 'Target portal')
    .requiredOption('--into <id>', 'Target group')
    .option('--items <ids>', 'Restore only these items (a,b or @FILE)', itemsArgument)
    .option('--overwrite', 'Overwrite existing items')
    .addOption(
      new Option('--data <policy>', 'Keep or replace data of existing hosted layers').choices([
        'keep',
        'replace',
      ]),
    )
    .option('--take <id>', 'Import this item even if blocked (repeatable)', itemsArgument)
    .option('--folder <id>', 'Target folder for new items')
    .option('--folder-owner <name>', 'Owner of that folder')
    .option('--plan-only', 'Stop after the plan')
    .option('--exit-code', 'With --plan-only: exit 20 if it has changes')
    .option('--yes', 'Approve the plan')
    .option('--task-run <task>', 'Report to a portal task: PORTAL/USER/TASK[/TASK-RUN]', taskArgument)
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, snapshot, { wait, timeout, requestId, exitCode, ...flags }, command) => {
        const statusOf = statusWith(command, { exitCode, ...flags });
        return startAndFollow(session, (how) => session.portolan.startRestore({ snapshot, ...flags }, how), {
          wait,
          timeout,
          requestId,
          statusOf,
        });
      }),
    );
