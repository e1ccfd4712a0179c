import { Command } from '@commander-js/extra-typings';
import type { ScheduleRow } from '../../../contract/schedules';
import { timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { dueWords, outcome, stateWords } from '../render/schedules';

/** `portolan schedule list`: needs no worker. */
export const scheduleListCommand = () =>
  new Command('list')
    .description(
      'List schedules with their last result and next start.\n\n\"removed from portolan.yaml\": the next schedule apply deletes it. \"not in portolan.yaml\": created by another tool; schedule apply keeps it.',
    )
    .action(
      act(async ({ portolan, output }) => {
        const rows = await portolan.listSchedules();
        output.showList(rows, (style) => scheduleTable(rows, style));
        if (
          rows.some(
            ({ standing }) => standing !== 'as in portolan.yaml' && standing !== 'not in portolan.yaml',
          )
        )
          output.note('note  the server differs from portolan.yaml; see: portolan schedule apply --dry-run');
      }),
    );

function scheduleTable(rows: readonly ScheduleRow[], style: Style): string {
  if (rows.length === 0) return 'No schedules. Add them to portolan.yaml, then run: portolan schedule apply';
  return columns(
    ['SCHEDULE', 'KIND', 'ROUTE', 'DUE', 'STATE', 'LAST', 'OUTCOME', 'NEXT'],
    rows.map((row) => {
      const [last] = row.runs;
      const [next] = row.next;
      return [
        row.name,
        row.kind,
        row.route ?? '?',
        dueWords(row),
        row.paused ? style.colors.yellow(stateWords(row)) : stateWords(row),
        last ? timeWords(last.startedAt) : '',
        last ? outcome(last, style) : '',
        next === undefined || row.paused ? '' : timeWords(next),
      ];
    }),
    style,
  );
}
