import { Command, Option } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import { durationArgument, itemsArgument, reasonArgument, taskArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { startBound } from '../../run/start-bound';
import { planStatus } from '../../run/follow-run';

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
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .option(
      '--task-run <task>',
      'notify this scheduled task of a portal: PORTAL/USER/TASK[/RUN]',
      taskArgument,
    )
    .action((snapshot, { wait, timeout: timeoutMs, requestId, exitCode, ...flags }, command) =>
      perform(command, (output, globals) => {
        if (exitCode && !flags.planOnly) {
          throw new PortolanError('USAGE', '--exit-code needs --plan-only.', {
            hint: 'See: portolan restore --help',
          });
        }
        const start = { what: 'restore' as const, request: { snapshot, ...flags } };
        return startBound(globals, output, start, {
          ...{ wait, timeoutMs, requestId },
          statusOf: exitCode ? planStatus : undefined,
        });
      }),
    );
