import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { overlaps } from '../../../model/schedule/schedule';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';
import { countOf, timeWords } from '../../../model/text/words';
import { parseTimeSpan } from '../../../service/schedule/parse-time';
import type { Backfilled } from '../../../service/schedule/schedule-change-view';
import { argumentHelp } from '../../terminal/argument-help';

function timeSpan(text: string): string {
  if (parseTimeSpan(text, 'UTC') === undefined)
    throw new InvalidArgumentError('Write a day or a time, such as 2026-11-21 or 2026-11-21T03:00.');
  return text;
}

/** `portolan schedule backfill`: what a schedule would have started, each time once. */
export const scheduleBackfillCommand = () =>
  new Command('backfill')
    .description(
      'Start the runs a schedule missed.\n\nStarts one run per missed time. Skips times that have one.',
    )
    .argument('<schedule>', argumentHelp.schedule)
    .requiredOption('--from <time>', "First day or time, in the schedule's time zone by default", timeSpan)
    .requiredOption('--to <time>', 'Last day (inclusive) or time', timeSpan)
    .addOption(
      new Option('--overlap <policy>', 'What to do if a run is still running')
        .choices(overlaps)
        .default('buffer-all' as const),
    )
    .option('--dry-run', 'Show what would start')
    .action((name, { from, to, overlap, dryRun = false }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, async ({ schedules }) => {
          const filled = await schedules.backfill(name, { from, to, overlap, dryRun });
          output.show(filled, () => backfillText(filled, dryRun));
          return exitStatus.done;
        }),
      ),
    );

/** Times that are named one by one. */
const NAMED_MAX = 10;

/** What a backfill starts and leaves out. */
function backfillText({ name, due, there }: Backfilled, isDry: boolean): string {
  const times = due.slice(0, NAMED_MAX).map((time) => `  ${timeWords(time)}`);
  const more = due.length > NAMED_MAX ? [`  and ${due.length - NAMED_MAX} more`] : [];
  const left =
    there.length === 0 ? [] : [`${countOf(there.length, 'time')} skipped because they have a run already`];
  if (due.length === 0) return `Nothing to start: all ${there.length} times have a run already.`;
  return [
    `${isDry ? 'would start' : 'starts'} ${countOf(due.length, 'run')} of ${name}, due at`,
    ...times,
    ...more,
    ...left,
    isDry ? 'No runs started.' : `details  portolan schedule show ${name}`,
  ].join('\n');
}
