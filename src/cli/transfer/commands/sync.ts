import { Command, Option } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import {
  durationArgument,
  excludeArgument,
  itemsArgument,
  nameArgument,
  reasonArgument,
  taskArgument,
} from '../../terminal/arguments';
import { startBound } from '../../run/start-bound';
import { perform } from '../../terminal/globals';
import { endsOf, type SyncRequest } from '../../../service/start/sync';
import { planStatus } from '../../run/follow-run';

/** `portolan sync`: starts a run and follows it to its end. */
export const syncCommand = () =>
  new Command('sync')
    .summary('copy a group from portal to portal')
    .description(
      'Copies a group from portal to portal: plan, your yes, import, proof.\nWith --plan-only it stops after the plan; that does write an export item on the source and a package on the target, and removes both.',
    )
    .argument('[route]', 'name of a route in portolan.yaml')
    .option('--from <portal>', 'source portal, in place of a route')
    .option('--group <id>', 'source group')
    .option('--to <portal>', 'target portal')
    .option('--into <id>', 'target group')
    .option('--items <ids>', 'only these items: a,b or @FILE', itemsArgument)
    .option(
      '--exclude <what>',
      'leave out besides what the route does: a,b or @FILE, type:TYPE or tag:TAG; can be repeated',
      excludeArgument,
    )
    .option('--overwrite', 'overwrite what exists on the target')
    .addOption(new Option('--data <policy>', 'data of hosted layers that exist').choices(['keep', 'replace']))
    .option('--take <id>', 'take this item although it is blocked; can be repeated', itemsArgument)
    .option('--full', 'bring everything, also what nobody has touched since a sync brought it')
    .option('--allow-shrink', 'the group may have lost over half of its items since the last run')
    .option('--plan-only', 'stop after the plan')
    .option('--exit-code', 'with --plan-only: end with 20 where the plan would change something')
    .option('--yes', 'approve the plan of a route that asks; not of one that requires an approval')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .option(
      '--task-run <task>',
      'notify this scheduled task of a portal: PORTAL/USER/TASK[/RUN]',
      taskArgument,
    )
    .option(
      '--scheduled-by <name>',
      'whoever starts this route regularly: a run of the same route and name that is parked is superseded by this one',
      nameArgument,
    )
    .action((routeName, options, command) =>
      perform(command, async (output, globals) => {
        if (options.exitCode && !options.planOnly) throw usage('--exit-code needs --plan-only.');
        const { wait, timeout: timeoutMs, requestId, exitCode, ...flags } = options;
        const request: SyncRequest = { route: routeName, ...flags };
        // What was mistyped is said before anybody is asked.
        endsOf(request);
        return await startBound(
          globals,
          output,
          { what: 'sync', request },
          {
            ...{ wait, timeoutMs, requestId },
            statusOf: exitCode ? planStatus : undefined,
            onPrepared: () => {
              if (options.planOnly)
                output.note(
                  'A plan needs a package: an export item on the source and a package on the target are made and removed.',
                );
            },
          },
        );
      }),
    );

const usage = (message: string): PortolanError =>
  new PortolanError('USAGE', message, { hint: 'See: portolan sync --help' });
