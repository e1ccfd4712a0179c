import { Command } from '@commander-js/extra-typings';
import type { ScheduleDetail } from '../../../contract/schedules';
import { oneLine } from '../../../model/text/plain-text';
import { countOf, exactDuration, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { columns, labelled } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { dueWords, outcome, stateWords } from '../render/schedules';

/** `portolan schedule show`: needs no worker. */
export const scheduleShowCommand = () =>
  new Command('show')
    .description('Show a schedule, its last runs and its next five starts.')
    .argument('<schedule>', argumentHelp.schedule)
    .action(
      act(async ({ portolan, output }, schedule) => {
        const row = await portolan.readSchedule({ schedule });
        output.show(row, (style) => scheduleText(row, style));
      }),
    );

function scheduleText(row: ScheduleDetail, style: Style): string {
  const { colors } = style;
  const note = row.note === undefined ? '' : `: ${oneLine(row.note)}`;
  const leftOut = row.lastLeftOut === undefined ? '' : `, last ${timeWords(row.lastLeftOut)}`;
  const lines = labelled(
    [
      ['starts', `${row.kind} ${row.route ?? '?'}`],
      ['due', dueWords(row)],
      ['state', `${stateWords(row)}${note}`],
      ['jitter', exactDuration(row.jitterMs)],
      ['overlap', row.overlap],
      ['catch-up', exactDuration(row.catchupMs)],
      ['defined in', row.origin === 'file' ? 'portolan.yaml' : 'the server only, created by another tool'],
      ['started', countOf(row.started, 'run')],
      [
        'skipped',
        `${row.skipped} while a run was open, ${row.missed} missed while Temporal was down${leftOut}`,
      ],
      ...(row.waiting > 0 ? [['waiting', `${countOf(row.waiting, 'start')} until a run ends`] as const] : []),
      [
        'next',
        row.next.length === 0
          ? 'none'
          : row.paused
            ? 'none while paused'
            : row.next.map(timeWords).join(', '),
      ],
    ],
    style,
  );
  const runs = columns(
    ['RUN', 'DUE', 'STARTED', 'STATUS'],
    row.runs.map((run) => [
      run.runId,
      run.dueAt === undefined ? 'triggered' : timeWords(run.dueAt),
      timeWords(run.startedAt),
      outcome(run, style),
    ]),
    style,
  );
  return [colors.bold(row.name), ...lines, ...(row.runs.length === 0 ? [] : ['', runs])].join('\n');
}
