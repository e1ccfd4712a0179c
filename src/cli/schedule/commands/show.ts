import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { scheduleText } from '../render/schedules';
import { scheduleRow } from '../../../service/schedule/schedule-rows';
import { findSchedule } from '../../../service/schedule/server-schedules';
import { withSources } from '../../../service/run/run-sources';

/** Temporal tells the last ten. */
const ALL_RUNS = 10;

/** `portolan schedule show`: needs no worker. */
export const scheduleShowCommand = () =>
  new Command('show')
    .description('Shows everything that is known of a schedule, with its last runs and its next five times.')
    .argument('<schedule>', 'name of a schedule')
    .action((name, _options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const row = await scheduleRow(
            sources,
            await findSchedule(sources.temporal, config, name),
            ALL_RUNS,
          );
          output.show(row, (style) => scheduleText(row, style));
          return exitStatus.done;
        });
      }),
    );
