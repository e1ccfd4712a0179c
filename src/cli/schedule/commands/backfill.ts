import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { overlaps } from '../../../model/schedule/schedule';
import { backfillSchedule, planBackfill } from '../backfill-schedule';
import { parseMoment } from '../../terminal/parse-time';
import { perform } from '../../terminal/globals';
import { backfillText } from '../render/backfill';
import { findSchedule } from '../server-schedules';
import { withSources } from '../../run/run-sources';

function moment(text: string): string {
  if (parseMoment(text, 'UTC') === undefined)
    throw new InvalidArgumentError('Write a day or a time, such as 2026-11-21 or 2026-11-21T03:00.');
  return text;
}

/** `portolan schedule backfill`: what a schedule would have started, each time once. */
export const scheduleBackfillCommand = () =>
  new Command('backfill')
    .description(
      'Starts what a schedule has not started when it was due, because it was paused, missed or not yet there: each time once, under the id of that time. Times that have a run already are left out.',
    )
    .argument('<schedule>', 'name of a schedule')
    .requiredOption(
      '--from <time>',
      'a day or a time, in the time zone of the schedule unless it says another',
      moment,
    )
    .requiredOption('--to <time>', 'the same; a day is meant to its end', moment)
    .addOption(
      new Option('--overlap <policy>', 'what these starts do while a run goes on')
        .choices(overlaps)
        .default('buffer-all' as const),
    )
    .option('--dry-run', 'only say what would be started')
    .action((name, { from, to, overlap, dryRun = false }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        return withSources(config, async (sources) => {
          const schedule = await findSchedule(sources.temporal, config, name);
          const plan = await planBackfill(sources, schedule, { from, to }, Date.now());
          if (!dryRun) await backfillSchedule(sources.temporal, schedule, plan, overlap);
          output.show({ name, ...plan, started: !dryRun && plan.due.length > 0 }, () =>
            backfillText(name, plan, dryRun),
          );
          return exitStatus.done;
        });
      }),
    );
