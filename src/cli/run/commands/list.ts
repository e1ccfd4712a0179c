import { Command, Option } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { runStatuses } from '../../../model/run/phase';
import { countArgument, momentArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { runListTable } from '../render/run-list';
import type { PageOptions } from '../../../service/run/run-rows';
import { withReadablePortolan } from '../../terminal/with-portolan';

/** Runs per page. */
const PAGE = 50;

/** `portolan run list`: runs in Temporal and in the store's records. */
export const runListCommand = () =>
  new Command('list')
    .description('List runs, newest first.')
    .option('--route <name>', 'Only runs of this route')
    .option('--schedule <name>', 'Only runs started by this schedule')
    .addOption(new Option('--status <status>', 'Only runs with this status').choices(runStatuses))
    .addOption(new Option('--parked', 'Same as --status parked').conflicts('status'))
    .option(
      '--limit <count>',
      'Maximum number of runs, plus those started with the last one',
      countArgument,
      PAGE,
    )
    .option('--before <time>', 'Only runs started before TIME (next page)', momentArgument)
    .action((options, command) =>
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async (portolan) => {
          const desired = options.parked ? 'parked' : options.status;
          const { limit, route, schedule, before } = options;
          const filter = { limit, route, schedule, status: desired, before };
          const { runs: rows, notes, next, unread } = await portolan.listRuns(filter);
          for (const note of notes) output.note(`note  ${note}`);
          output.showList(rows, (style) => runListTable(rows, style, { status: desired }));
          const older = next ?? unread;
          if (older !== undefined)
            output.note(
              `note  ${next === undefined ? 'older records were not read' : 'more'}: ${listCommand({ ...filter, before: older })}`,
            );
          return exitStatus.done;
        }),
      ),
    );

/** The command for the next page, with the same filters. */
const listCommand = ({ route, schedule, status, limit, before = 0 }: PageOptions): string =>
  [
    'portolan run list',
    ...(route === undefined ? [] : [`--route ${route}`]),
    ...(schedule === undefined ? [] : [`--schedule ${schedule}`]),
    ...(status === undefined ? [] : [`--status ${status}`]),
    ...(limit === PAGE ? [] : [`--limit ${limit}`]),
    `--before ${new Date(before).toISOString()}`,
  ].join(' ');
