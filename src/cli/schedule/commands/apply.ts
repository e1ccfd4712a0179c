import { Command } from '@commander-js/extra-typings';
import type { AppliedSchedules, ScheduleChangeRow } from '../../../contract/schedules';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { bad, type Block, good, listed, notice, tableOf, type Value } from '../../../model/text/sheet';
import { countOf } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { askYes } from '../../terminal/prompts';
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
            () => [changesTable(changes)],
          );
        // People see the differences before the prompt; programs get them once, with the result.
        if (output.format === 'table') show(planned);
        for (const warning of planned.warnings) output.warn(warning);
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

/** What `apply` does to each schedule, with the fields that change. */
const changesTable = (changes: readonly ScheduleChangeRow[]): Block =>
  tableOf(
    changes,
    [
      ['Schedule', ({ name }) => name],
      ['Change', ({ change }) => changeWords[change]],
      ['What', whatChanges],
    ],
    { empty: 'No schedules in the file or on the server.' },
  );

const changeWords: Readonly<Record<ScheduleChangeRow['change'], Value>> = {
  create: good('create'),
  change: notice('change'),
  delete: bad('delete with its start history; its runs stay'),
  unchanged: 'unchanged',
  left: 'keep: created by another tool; --prune deletes it',
};

const whatChanges = ({ name, fields, keptPause, starts }: ScheduleChangeRow): Value =>
  listed(
    starts,
    fields.map(({ field, from = '(none)', to = '(none)' }) => `${field}: ${from} -> ${to}`).join('; '),
    keptPause !== undefined && [
      notice(`stays paused by hand: ${keptPause}`),
      `; to resume it: portolan schedule resume ${name}, or paused: false in the file`,
    ],
  );
