import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { timeWords } from '../../../model/text/words';
import { withPortolan } from '../../terminal/with-portolan';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan schedule resume`: ends a pause; missed starts are not made up. */
export const scheduleResumeCommand = () =>
  new Command('resume')
    .description("Resume a paused schedule.\n\nIt does not start what it missed; 'schedule backfill' does.")
    .argument('<schedule>', argumentHelp.schedule)
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
