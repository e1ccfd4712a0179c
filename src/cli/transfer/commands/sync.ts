import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { resolveRoute, type RouteRequest } from '../../../config/resolve-route';
import { PortolanError } from '../../../model/errors/errors';
import { ApprovalDesk } from '../../run/approval-desk';
import {
  durationArgument,
  excludeArgument,
  itemsArgument,
  nameArgument,
  taskArgument,
} from '../../terminal/arguments';
import { notifyingFailedStart } from '../../run/failed-start';
import { portalsOf } from '../../../model/text/words';
import { perform } from '../../terminal/globals';
import { startRun } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { withSources } from '../../../service/run/run-sources';
import { planStatus, startAndFollow } from '../../run/follow-run';

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
    .option('--reason <text>', 'why; kept in the record')
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
        if (options.exitCode && !options.planOnly) throw usage('--exit-code goes with --plan-only.');
        const request = requestOf(routeName, options);
        const config = loadConfig(globals.config);
        const route = resolveRoute(config, request, options);
        const { taskRun } = route.options;
        return notifyingFailedStart(config, taskRun, output, (begin) =>
          withSources(config, async (sources) => {
            const workers = await requireAbleWorkers(sources, portalsOf(route));
            if (options.planOnly) {
              output.note(
                'A plan needs a package: an export item on the source and a package on the target are made and removed.',
              );
            }
            const { yes = false, requestId, reason, scheduledBy } = options;
            const approval = yes ? undefined : new ApprovalDesk(route.options.approval);
            const start = { route, yes, requestId, reason, scheduledBy };
            return startAndFollow(
              sources,
              output,
              (attended) => begin(() => startRun('sync', sources, { ...start, attended })),
              {
                route,
                approval,
                wait: options.wait,
                workers,
                timeoutMs: options.timeout,
                planOnly: options.planOnly,
                statusOf: options.exitCode ? planStatus : undefined,
              },
            );
          }),
        );
      }),
    );

interface Ends {
  readonly from?: string;
  readonly group?: string;
  readonly to?: string;
  readonly into?: string;
}

/** A route by name or by both its ends, never half of one. */
function requestOf(route: string | undefined, { from, group, to, into }: Ends): RouteRequest {
  const given = [from, group, to, into].filter((end) => end !== undefined).length;
  if (route !== undefined && given === 0) return { route };
  if (route !== undefined) throw usage('Name a route, or --from, --group, --to and --into; not both.');
  if (from !== undefined && group !== undefined && to !== undefined && into !== undefined) {
    return { from, group, to, into };
  }
  throw usage(given === 0 ? 'Name a route.' : '--from, --group, --to and --into go together.');
}

const usage = (message: string): PortolanError =>
  new PortolanError('USAGE', message, { hint: 'See: portolan sync --help' });
