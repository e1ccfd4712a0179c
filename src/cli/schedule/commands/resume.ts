import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { timeWords } from '../../../model/text/words';
import { withSources } from '../../../service/run/run-sources';
import { resumeSchedule } from '../../../service/schedule/pause-schedule';

/** `portolan schedule resume`: undoes a pause. What was due meanwhile is not made up for. */
export const scheduleResumeCommand = () =>
  new Command('resume')
    .description(
      'Ends the pause of a schedule. What was due meanwhile is made up for by "schedule backfill" only.',
    )
    .argument('<schedule>', 'name of a schedule')
    .action((name, _options, command) =>
      perform(command, (output, globals) =>
        withSources(loadConfig(globals.config), async (sources) => {
          const shown = await resumeSchedule(sources, name);
          const { next } = shown;
          output.show(
            shown,
            () =>
              `${name} is on again${next === undefined ? '' : `, next ${timeWords(Date.parse(next))}`}\nlook     portolan schedule show ${name}`,
          );
          return exitStatus.done;
        }),
      ),
    );
