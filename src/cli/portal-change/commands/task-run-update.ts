import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { portalRefOf } from '../../../service/run/start-run';
import { taskRunStatuses } from '../../../model/run/phase';
import { argumentHelp, reasonOption, requestIdOption, timeoutOption } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { changePortal } from '../change-portal';
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
    .action((portal, taskId, run, { user, status, result, ...options }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const task = {
          ...portalRefOf(config, portal),
          username: user,
          taskId,
          taskRunId: run === 'latest' ? undefined : run,
        };
        const asked = { task, status, result };
        const change = { kind: 'task-run', operation: 'update', portal, asked, ...options } as const;
        return changePortal(config, output, change, () => Promise.resolve({ task, status, result }));
      }),
    );
