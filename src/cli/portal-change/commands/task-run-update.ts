import { Command, Option } from '@commander-js/extra-typings';
import { taskRunStatuses } from '../../../model/run/phase';
import { startAndFollow } from '../../run/follow-run';
import { act } from '../../terminal/act';
import { argumentHelp, reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan task-run update`: sets status and result of a run of a scheduled task. */
export const taskRunUpdateCommand = () =>
  new Command('update')
    .description(
      'Set status and result of a scheduled task run.\n\nWrites only what differs. Without --result, the result stays.',
    )
    .addHelpText(
      ...examples('production 5c1e08d2 latest --user owner --status succeeded --result "11 items"'),
    )
    .argument('<portal>', argumentHelp.portal)
    .argument('<task>', 'Task ID')
    .argument('<run>', "Task run ID, or 'latest'")
    .requiredOption('--user <name>', 'Owner of the task')
    .addOption(new Option('--status <status>', 'New status').choices(taskRunStatuses).makeOptionMandatory())
    .option('--result <text>', 'New result; may be empty')
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, portal, taskId, run, { user: username, timeout, requestId, ...more }) => {
        const taskRunId = run === 'latest' ? undefined : run;
        return startAndFollow(
          session,
          (how) => session.portolan.updateTaskRun({ portal, taskId, taskRunId, username, ...more }, how),
          { wait: true, timeout, requestId },
        );
      }),
    );
