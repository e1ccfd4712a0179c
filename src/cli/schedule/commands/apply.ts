import { Command } from '@commander-js/extra-typings';
import type { AppliedSchedules, ScheduleChangeRow, ScheduleFieldChange } from '../../../contract/schedules';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { oneLine } from '../../../model/text/plain-text';
import { countOf } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { askYes } from '../../terminal/prompts';
import type { Style } from '../../terminal/style';
import { again } from '../../terminal/typed-options';
import { examples } from '../../terminal/help';

/** `portolan schedule apply`: applies the schedules of portolan.yaml to Temporal after confirmation. */
export const scheduleApplyCommand = () =>
  new Command('apply')
    .description(
      'Apply the schedules in portolan.yaml to Temporal.\n\nShows the changes and asks before applying them. Deletes schedules removed from the file; keeps those created by other tools. A paused schedule stays paused unless the file says paused: false.',
    )
    .addHelpText(...examples('--dry-run --exit-code', '--yes'))
    .option('--dry-run', 'Show changes; apply nothing')
    .option('--exit-code', 'With --dry-run: exit 20 if it has changes')
    .option('--yes', 'Apply without asking')
    .option('--prune', 'Also delete schedules created by other tools')
    .action(
      act(async ({ portolan, output }, { dryRun = false, exitCode, yes, prune }, command) => {
        if (exitCode && !dryRun) {
          throw new PortolanError('USAGE', '--exit-code needs --dry-run.', {
            hint: 'See: portolan schedule apply --help',
          });
        }
        const planned = await portolan.applySchedules({ prune, dryRun: true });
        const show = ({ changes }: AppliedSchedules): void =>
          output.showList(
            changes.map(({ starts: _starts, ...change }) => change),
            (style) => differenceText(changes, style),
          );
        // People see the differences before the prompt; programs get them once, with the result.
        if (output.format === 'table') show(planned);
        for (const warning of planned.warnings) output.note(output.side.colors.yellow(`warning  ${warning}`));
        const end = (status: number, note: string, done = planned): number => {
          if (output.format !== 'table') show(done);
          output.note(note);
          return status;
        };
        const open = planned.changes.filter(({ change }) => change !== 'unchanged' && change !== 'left');
        if (open.length === 0) return end(exitStatus.done, '\nNo changes.');
        if (dryRun) {
          const status = exitCode ? exitStatus.differences : exitStatus.done;
          return end(
            status,
            `\nNo changes made. To apply them: ${again(command, { 'dry-run': undefined, 'exit-code': undefined })}`,
          );
        }
        const answer =
          yes ??
          (await askYes(`Change ${countOf(open.length, 'schedule')} in Temporal?`, {
            what: 'This needs confirmation; nothing was changed.',
            hint: `To apply: ${again(command, { yes: true })}`,
          }));
        if (!answer) return end(exitStatus.cancelled, '\nNo changes made.');
        const seen = yes ? undefined : planned.seen;
        const applied = await portolan.applySchedules(
          { prune, seen },
          { say: (words) => output.note(words) },
        );
        if (applied.isWorkerUp === false)
          output.note('note  no worker is running, so starts wait for one. Start one with: portolan worker');
        return end(exitStatus.done, 'details  portolan schedule list', applied);
      }),
    );

const marks = { create: '+', change: '~', delete: '-', unchanged: ' ', left: ' ' } as const;

/** What `apply` does to each schedule, with the fields that change. */
function differenceText(changes: readonly ScheduleChangeRow[], style: Style): string {
  if (changes.length === 0) return 'No schedules in the file or on the server.';
  return changes.flatMap((change) => changeLines(change, style)).join('\n');
}

function changeLines({ name, change, fields, keptPause, starts }: ScheduleChangeRow, style: Style): string[] {
  const { colors } = style;
  const head = `${marks[change]} ${name}  ${changeWords[change]}`;
  const painted = change === 'create' ? colors.green(head) : change === 'delete' ? colors.red(head) : head;
  return [
    painted,
    ...(starts === undefined ? [] : [`    ${oneLine(starts)}`]),
    ...fields.map(fieldLine),
    ...(keptPause === undefined
      ? []
      : [
          colors.yellow(`    stays paused by hand: ${oneLine(keptPause)}`),
          `    to resume it: portolan schedule resume ${name}, or paused: false in the file`,
        ]),
  ];
}

const changeWords = {
  create: 'is created',
  change: 'is changed',
  delete: 'is deleted with its start history; its runs stay',
  unchanged: 'is unchanged',
  left: 'is kept: created by another tool; --prune deletes it',
} as const;

const fieldLine = ({ field, from = '(none)', to = '(none)' }: ScheduleFieldChange): string =>
  `    ${field}: ${oneLine(from)} -> ${oneLine(to)}`;
