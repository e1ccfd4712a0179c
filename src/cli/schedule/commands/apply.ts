import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { withPortolan } from '../../terminal/with-portolan';
import { differenceText, doneWords } from '../render/schedules';
import { again } from '../../terminal/typed-options';
import { countOf } from '../../../model/text/words';
import type { AppliedSchedules } from '../../../service/schedule/schedule-change-view';

/** `portolan schedule apply`: applies the schedules of portolan.yaml to Temporal after confirmation. */
export const scheduleApplyCommand = () =>
  new Command('apply')
    .description(
      'Apply the schedules in portolan.yaml to Temporal.\n\nShows the changes and asks before applying them. Deletes schedules removed from the file; keeps those created by other tools. A paused schedule stays paused unless the file says paused: false.',
    )
    .option('--dry-run', 'Show changes; apply nothing')
    .option('--exit-code', 'With --dry-run: exit 20 if it has changes')
    .option('--yes', 'Apply without asking')
    .option('--prune', 'Also delete schedules created by other tools')
    .action(({ dryRun = false, exitCode, yes, prune }, command) =>
      perform(command, async (output, globals) => {
        if (exitCode && !dryRun) {
          throw new PortolanError('USAGE', '--exit-code needs --dry-run.', {
            hint: 'See: portolan schedule apply --help',
          });
        }
        return await withPortolan(globals, async ({ schedules }) => {
          const planned = await schedules.apply({ prune, dryRun: true });
          const show = ({ changes }: AppliedSchedules): void =>
            output.showList(
              changes.map(({ starts: _starts, ...change }) => change),
              (style) => differenceText(changes, style),
            );
          // People see the differences before the prompt; programs get them once, with the result.
          if (output.format === 'table') show(planned);
          for (const warning of planned.warnings)
            output.note(output.side.colors.yellow(`warning  ${warning}`));
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
          const applied = await schedules.apply({ prune, seen }, (change) => output.note(doneWords(change)));
          if (applied.isWorkerUp === false)
            output.note(
              `note  no worker is running, so starts wait for one. Start one with: portolan worker`,
            );
          return end(exitStatus.done, 'details  portolan schedule list', applied);
        });
      }),
    );
