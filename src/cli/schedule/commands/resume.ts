import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { timeWords } from '../../../model/text/words';
import { withPortolan } from '../../terminal/with-portolan';

/** `portolan schedule resume`: undoes a pause. What was due meanwhile is not made up for. */
export const scheduleResumeCommand = () =>
  new Command('resume')
    .description(
      'Ends the pause of a schedule. What was due meanwhile is made up for by "schedule backfill" only.',
    )
    .argument('<schedule>', 'name of a schedule')
    .action((name, _options, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async (portolan) => {
          const shown = await portolan.schedules.resume(name);
          const { next } = shown;
          output.show(
            shown,
            () =>
              `${name} is resumed${next === undefined ? '' : `, next ${timeWords(Date.parse(next))}`}\ndetails  portolan schedule show ${name}`,
          );
          return exitStatus.done;
        }),
      ),
    );
