import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import type { TaskRunInput } from '../../../model/portal-change/change';
import { taskRunStatuses } from '../../../model/portal-change/task-run';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { changeRequest, changeTimeout, runChange } from '../run-change';
import { runIdFor, portalRefOf } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { withSources } from '../../../service/run/run-sources';

/** `portolan task-run update`: sets status and result of a run of a scheduled task. */
export const taskRunUpdateCommand = () =>
  new Command('update')
    .description(
      'Sets status and result of a run of a scheduled task. What it says already is not written again, and a result that is not given stays.',
    )
    .argument('<portal>', 'portal of portolan.yaml')
    .argument('<task>', 'id of the task')
    .argument('<run>', 'id of its run, or latest: the one that was created last')
    .requiredOption('--user <name>', 'user to whom the task belongs')
    .addOption(
      new Option('--status <status>', 'what the run is to say')
        .choices(taskRunStatuses)
        .makeOptionMandatory(),
    )
    .option('--result <text>', 'what came of it; may be empty')
    .addOption(changeTimeout())
    .addOption(changeRequest())
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
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
