import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scheduleTable } from '../render/schedules';
import { scheduleRows } from '../../../service/schedule/schedule-rows';
import { serverSchedules } from '../../../service/schedule/server-schedules';
import { withSources } from '../../../service/run/run-sources';

/** `portolan schedule list`: needs no worker. */
export const scheduleListCommand = () =>
  new Command('list')
    .description(
      'Lists schedules: how the last start of each ended, how many were left out, and when the next is due.',
    )
    .action((_options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const rows = await scheduleRows(sources, await serverSchedules(sources.temporal, config), {
            runs: 1,
          });
          output.showList(rows, (style) => scheduleTable(rows, style));
          if (rows.some(({ standing }) => standing !== 'as in the file' && standing !== 'not in the file'))
            output.note('note  the server is not as the file has it; see: portolan schedule apply --dry-run');
          return exitStatus.done;
        });
      }),
    );
