import { Command } from '@commander-js/extra-typings';
import { scheduleTable } from '../../../service/schedule/schedule-sheets';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** `portolan schedule list`: needs no worker. */
export const scheduleListCommand = () =>
  new Command('list')
    .description(
      'List schedules with their last result and next start.\n\n\"removed from portolan.yaml\": the next schedule apply deletes it. \"not in portolan.yaml\": created by another tool; schedule apply keeps it.',
    )
    .addHelpText(...examples(''))
    .action(
      act(async ({ portolan, output }) => {
        const rows = await portolan.listSchedules();
        output.showList(rows, () => [scheduleTable(rows)]);
        if (
          rows.some(
            ({ standing }) => standing !== 'as in portolan.yaml' && standing !== 'not in portolan.yaml',
          )
        )
          output.note('note  the server differs from portolan.yaml; see: portolan schedule apply --dry-run');
      }),
    );
