import { Command, Option } from '@commander-js/extra-typings';
import {
  excludeArgument,
  itemsArgument,
  nameArgument,
  taskArgument,
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { act } from '../../terminal/act';
import { type Start, startAndFollow, statusWith } from '../../run/follow-run';
import { examples } from '../../terminal/help';

/** `portolan sync`: starts a run and follows it to its end. */
export const syncCommand = () =>
  new Command('sync')
    .description(
      "Copy a group's content from one portal to another.\n\nShows a plan, asks for approval, imports and verifies. --plan-only still creates a temporary package on each portal.",
    )
    .addHelpText(...examples('transport', 'transport --plan-only --exit-code'))
    .argument('[route]', argumentHelp.route)
    .option('--from <portal>', 'Source portal, instead of a route')
    .option('--group <id>', 'Source group')
    .option('--to <portal>', 'Target portal')
    .option('--into <id>', 'Target group')
    .option('--items <ids>', 'Sync only these items (a,b or @FILE)', itemsArgument)
    .option('--exclude <what>', 'Also exclude a,b, @FILE, type:TYPE or tag:TAG (repeatable)', excludeArgument)
    .option('--overwrite', 'Overwrite existing items')
    .addOption(
      new Option('--data <policy>', 'Keep or replace data of existing hosted layers').choices([
        'keep',
        'replace',
      ]),
    )
    .option('--take <id>', 'Import this item even if blocked (repeatable)', itemsArgument)
    .option('--full', 'Transfer unchanged items too')
    .option('--allow-shrink', 'Accept a group that shrank by more than half since the last run')
    .option('--plan-only', 'Stop after the plan')
    .option('--exit-code', 'With --plan-only: exit 20 if it has changes')
    .option('--yes', 'Approve the plan, if the route allows it')
    .option('--task-run <task>', 'Report to a portal task: PORTAL/USER/TASK[/TASK-RUN]', taskArgument)
    .option(
      '--scheduled-by <name>',
      'Name of the scheduler; replaces its parked run of this route',
      nameArgument,
    )
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, route, { wait, timeout, requestId, exitCode, ...flags }, command) => {
        const statusOf = statusWith(command, { exitCode, ...flags });
        const start: Start = async (how) => {
          const begun = await session.portolan.startSync({ route, ...flags }, how);
          if (begun.planOnly)
            session.output.note(
              'The plan needs a temporary package on each portal. Both are removed afterwards.',
            );
          return begun;
        };
        return startAndFollow(session, start, { wait, timeout, requestId, statusOf });
      }),
    );
