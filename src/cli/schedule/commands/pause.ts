import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { findSchedule, handleOf } from '../../../service/schedule/server-schedules';
import { withTemporal } from '../../../temporal/session';
import { whoTypes } from '../../../service/run/who';

/** `portolan schedule pause`: nothing is started until somebody resumes it; what runs goes on. */
export const schedulePauseCommand = () =>
  new Command('pause')
    .description(
      'Pauses a schedule: it starts nothing until it is resumed. A run that it has started goes on.',
    )
    .argument('<schedule>', 'name of a schedule')
    .requiredOption('--reason <text>', 'why; shown wherever the schedule is')
    .action((name, { reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withTemporal(config, async (temporal) => {
          const { id } = await findSchedule(temporal, config, name);
          const note = `paused by ${whoTypes().who}: ${reason}`;
          await handleOf(temporal, id).pause(note);
          output.show(
            { name, paused: true, note },
            () => `${name} is paused\nresume   portolan schedule resume ${name}`,
          );
          return exitStatus.done;
        });
      }),
    );
