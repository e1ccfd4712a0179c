import { Command } from '@commander-js/extra-typings';
import {
  repeated,
  taskArgument,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { startAndFollow } from '../../run/follow-run';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** `portolan backup create`: a snapshot of a group. */
export const backupCreateCommand = () =>
  new Command('create')
    .description(
      'Back up a group as a snapshot.\n\nIf nothing changed since the last good snapshot, exports nothing and shows that snapshot.',
    )
    .addHelpText(
      ...examples('transport --tag upgrade', '--from staging --group 9f2c4b7de1a84c0fb3d1a6c25e7f90e1'),
    )
    .argument('[route]', 'Route in portolan.yaml; its source is backed up')
    .option('--from <portal>', 'Source portal, instead of a route')
    .option('--group <id>', 'Group to back up')
    .option('--full', 'Export everything, changed or not')
    .option('--force', 'Same as --full')
    .option('--allow-shrink', 'Accept a group that shrank by more than half since the last backup')
    .option('--tag <text>', 'Tag the snapshot (repeatable)', repeated)
    .option('--task-run <task>', 'Report to a portal task: PORTAL/USER/TASK[/TASK-RUN]', taskArgument)
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, route, { wait, timeout, requestId, force, full = force, tag: tags, ...flags }) =>
        startAndFollow(session, (how) => session.portolan.startBackup({ route, full, tags, ...flags }, how), {
          wait,
          timeout,
          requestId,
        }),
      ),
    );
