import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { timeWords } from '../../../model/text/words';
import { findSchedule, handleOf } from '../../../service/schedule/server-schedules';
import { withTemporal } from '../../../temporal/session';

/** `portolan schedule resume`: undoes a pause. What was due meanwhile is not made up for. */
export const scheduleResumeCommand = () =>
  new Command('resume')
    .description(
      'Ends the pause of a schedule. What was due meanwhile is made up for by "schedule backfill" only.',
    )
    .argument('<schedule>', 'name of a schedule')
    .action((name, _options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withTemporal(config, async (temporal) => {
          const { id, made } = await findSchedule(temporal, config, name);
          const handle = handleOf(temporal, id);
          // Not `unpause`, which leaves a note of its own.
          await handle.update((before) => ({
            ...before,
            state: { ...before.state, paused: false, note: made?.note },
          }));
          const [next] = (await handle.describe()).info.nextActionTimes;
          output.show(
            { name, paused: false, next },
            () =>
              `${name} is on again${next ? `, next ${timeWords(next.getTime())}` : ''}\nlook     portolan schedule show ${name}`,
          );
          return exitStatus.done;
        });
      }),
    );
