import { Command, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import type { PortolanError } from '../../../model/errors/errors';
import { runStatuses } from '../../../model/run/phase';
import { oneLine } from '../../../model/text/plain-text';
import { numberArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { countOf } from '../../terminal/words';
import { runListTable } from '../render/run-list';
import { runRows, withQueues } from '../run-rows';
import { withReadableSources } from '../run-sources';

/** `portolan run list`: runs by Temporal and by the store's records. */
export const runListCommand = () =>
  new Command('list')
    .description('Lists runs, newest first.')
    .option('--route <name>', 'runs of this route')
    .option('--schedule <name>', 'runs that this schedule started')
    .addOption(new Option('--status <status>', 'runs in this state').choices(runStatuses))
    .addOption(
      new Option('--parked', 'runs that wait for a correction: as --status parked').conflicts('status'),
    )
    .option('--limit <count>', 'at most so many', numberArgument, 50)
    .action((options, command) =>
      perform(command, (output, globals) =>
        withReadableSources(loadConfig(globals.config), async (sources) => {
          if (sources.temporal === undefined) {
            output.note('note  Temporal is out of reach; these are the records of the store');
          }
          const desired = options.parked ? 'parked' : options.status;
          const untold: PortolanError[] = [];
          const chosen = (await runRows(sources, (why) => untold.push(why)))
            .filter(({ route }) => options.route === undefined || route === options.route)
            .filter(({ scheduledBy }) => options.schedule === undefined || scheduledBy === options.schedule)
            .filter(({ status }) => desired === undefined || status === desired)
            .slice(0, options.limit);
          const rows = await withQueues(sources, chosen);
          const [first] = untold;
          if (first !== undefined)
            output.note(
              `note  ${countOf(untold.length, 'record')} not believed: ${oneLine(first.plainMessage)}`,
            );
          output.showList(rows, (style) => runListTable(rows, style, { status: desired }));
          return exitStatus.done;
        }),
      ),
    );
