import { Command } from '@commander-js/extra-typings';
import { listed } from '../../../model/text/sheet';
import { act } from '../../terminal/act';
import { argumentHelp, reasonArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan schedule pause`: stops new starts; started runs continue. */
export const schedulePauseCommand = () =>
  new Command('pause')
    .description('Pause a schedule.\n\nIt starts nothing until it is resumed. Runs it has started continue.')
    .addHelpText(...examples('nightly-transport --reason "the portal is upgraded"'))
    .argument('<schedule>', argumentHelp.schedule)
    .requiredOption('--reason <text>', 'Reason, shown with the schedule', reasonArgument)
    .action(
      act(async ({ portolan, output }, schedule, { reason }) => {
        const paused = await portolan.pauseSchedule({ schedule, reason });
        output.show(paused, () => `${schedule} is paused\nresume   portolan schedule resume ${schedule}`);
      }),
    );

/** `portolan schedule resume`: ends a pause; missed starts are not made up. */
export const scheduleResumeCommand = () =>
  new Command('resume')
    .description(
      "Resume a paused schedule.\n\nIt does not start what it missed; 'temporal schedule backfill' does.",
    )
    .addHelpText(...examples('nightly-transport'))
    .argument('<schedule>', argumentHelp.schedule)
    .action(
      act(async ({ portolan, output }, schedule) => {
        const resumed = await portolan.resumeSchedule({ schedule });
        const { next } = resumed;
        output.show(resumed, () => [
          {
            title: listed(`${schedule} is resumed`, next && ['next ', { time: next }]),
            facts: [['details', `portolan schedule show ${schedule}`]],
          },
        ]);
      }),
    );
