import { Command } from '@commander-js/extra-typings';
import { scheduleSheet } from '../../../service/schedule/schedule-sheets';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan schedule show`: needs no worker. */
export const scheduleShowCommand = () =>
  new Command('show')
    .description('Show a schedule, its last runs and its next five starts.')
    .addHelpText(...examples('nightly-transport'))
    .argument('<schedule>', argumentHelp.schedule)
    .action(
      act(async ({ portolan, output }, schedule) => {
        const row = await portolan.readSchedule({ schedule });
        output.show(row, () => scheduleSheet(row));
      }),
    );
