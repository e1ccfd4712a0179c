import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { taskAddress } from '../../../config/resolve-route';
import { PortolanError } from '../../../model/errors/errors';
import { durationArgument, itemsArgument, taskArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { prepareRestore } from '../../../service/start/restore';
import { withSources } from '../../../service/run/run-sources';
import { notifyingFailedStart } from '../../run/failed-start';
import { planStatus, startAndFollow } from '../../run/follow-run';

/** `portolan restore`: brings what a snapshot holds into a group. */
export const restoreCommand = () =>
  new Command('restore')
    .summary('bring what a snapshot holds into a group')
    .description(
      'Brings what a snapshot holds into a group of a portal, be it the one that it came from or another: plan, your yes, safeguard of what is overwritten, import, proof.',
    )
    .argument('<snapshot>', 'id, an end of it, latest, or latest:ROUTE')
    .requiredOption('--to <portal>', 'target portal')
    .requiredOption('--into <id>', 'target group')
    .option('--items <ids>', 'only these items: a,b or @FILE', itemsArgument)
    .option('--overwrite', 'overwrite what exists on the target')
    .addOption(new Option('--data <policy>', 'data of hosted layers that exist').choices(['keep', 'replace']))
    .option('--take <id>', 'take this item although it is blocked; can be repeated', itemsArgument)
    .option('--folder <id>', 'folder on the target for what is new there')
    .option('--folder-owner <name>', 'whose folder that is')
    .option('--plan-only', 'stop after the plan')
    .option('--exit-code', 'with --plan-only: end with 20 where the plan would change something')
    .option('--yes', 'approve the plan')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record')
    .option(
      '--task-run <task>',
      'notify this scheduled task of a portal: PORTAL/USER/TASK[/RUN]',
      taskArgument,
    )
    .action((snapshot, { wait, timeout: timeoutMs, requestId, exitCode, ...flags }, command) =>
      perform(command, (output, globals) => {
        const { planOnly } = flags;
        if (exitCode && !planOnly) {
          throw new PortolanError('USAGE', '--exit-code goes with --plan-only.', {
            hint: 'See: portolan restore --help',
          });
        }
        const config = loadConfig(globals.config);
        const task = flags.taskRun && taskAddress(config, flags.taskRun);
        return notifyingFailedStart(config, task, output, (starting) =>
          withSources(config, async (sources) => {
            const prepared = await prepareRestore(sources, { snapshot, ...flags }, { requestId });
            return startAndFollow(sources, output, starting(prepared), {
              ...{ wait, timeoutMs, planOnly },
              statusOf: exitCode ? planStatus : undefined,
            });
          }),
        );
      }),
    );
