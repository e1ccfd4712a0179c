import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import type { TaskRunInput } from '../../../model/portal-change/change';
import { taskRunStatuses } from '../../../model/portal-change/task-run';
import { perform } from '../../terminal/globals';
import { runChange } from '../run-change';
import { runIdFor, portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { withSources } from '../../../service/run/run-sources';
import { argumentHelp } from '../../terminal/argument-help';
import { reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan task-run update`: sets status and result of a run of a scheduled task. */
export const taskRunUpdateCommand = () =>
  new Command('update')
    .description(
      'Set status and result of a scheduled task run.\n\nWrites only what differs. Without --result, the result stays.',
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
      (portalName, taskId, run, { user, status, result, timeout: timeoutMs, requestId, reason }, command) =>
        perform(command, (output, globals) => {
          const config = loadConfig(globals.config);
          const portal = portalRefOf(config, portalName);
          const taskRunId = run === 'latest' ? undefined : run;
          return withSources(config, async (sources) => {
            await requireAbleWorkers(sources, [portalName]);
            const runId = runIdFor('task-run', portal.portal, requestId);
            return await runChange<TaskRunInput>(
              'task-run',
              sources,
              output,
              {
                runId,
                operation: 'update',
                portal,
                reason,
                task: { ...portal, username: user, taskId, taskRunId },
                status,
                result,
              },
              { timeoutMs, requestId, asked: { portal, user, taskId, run, status, result } },
            );
          });
        }),
    );
