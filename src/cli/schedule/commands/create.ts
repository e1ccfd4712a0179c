import { Command, Option } from '@commander-js/extra-typings';
import { compileSchedule } from '../../../config/compile-config';
import { loadConfig } from '../../../config/load-config';
import { problemLines, problemText } from '../../../config/problems';
import { unclearSchedule } from '../../../config/cross-checks';
import { schedule } from '../../../config/schema';
import type { Config } from '../../../config/config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { overlaps, scheduledKinds, type ScheduleSpec } from '../../../model/schedule/schedule';
import { scheduleId } from '../../../model/schedule/schedule-id';
import { registerSearchAttributes } from '../../../temporal/search-attributes';
import { createSchedule } from '../apply-schedules';
import { nameArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { scheduleText } from '../render/schedules';
import { scheduleRow } from '../schedule-rows';
import { scheduleWarnings } from '../schedule-warnings';
import { describeSchedule, findSchedule, handleOf } from '../server-schedules';
import { desiredSchedule } from '../desired-schedules';
import { withSources } from '../../run/run-sources';

/** `portolan schedule create`: one that is not in the file. */
export const scheduleCreateCommand = () =>
  new Command('create')
    .description(
      'Makes a schedule that is not in portolan.yaml. "schedule apply" leaves it alone; its route is as the file has it now.',
    )
    .argument('<schedule>', 'its name', nameArgument)
    .requiredOption('--route <name>', 'name of a route in portolan.yaml')
    .requiredOption('--cron <fields>', 'minute, hour, day of month, month, day of week')
    .addOption(new Option('--kind <kind>', 'what it starts').choices(scheduledKinds))
    .option('--timezone <name>', 'such as Europe/Berlin; UTC where nothing is said')
    .option('--jitter <duration>', 'spreads the starts over so long')
    .addOption(new Option('--overlap <policy>', 'where a run of it still goes on').choices(overlaps))
    .option('--catchup <duration>', 'makes up for what was due so long ago while Temporal was down')
    .option('--note <text>', 'what it is for')
    .option('--import', 'of a drill: import too')
    .action((name, options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const desired = desiredSchedule(config, specOf(config, name, options), 'command line');
        return withSources(config, async (sources) => {
          const { temporal } = sources;
          const { taskQueue } = config.temporal;
          const isThere = await describeSchedule(handleOf(temporal, scheduleId(taskQueue, name)), taskQueue);
          if (isThere) {
            throw new PortolanError('USAGE', `There is a schedule "${name}" already.`, {
              hint: `Look at it: portolan schedule show ${name}. To replace it: portolan schedule delete ${name}`,
            });
          }
          await registerSearchAttributes(temporal.connection, temporal.namespace);
          await createSchedule(temporal, desired);
          for (const warning of scheduleWarnings(desired, Date.now()))
            output.note(output.side.colors.yellow(`warning  ${warning}`));
          const row = await scheduleRow(sources, await findSchedule(temporal, config, name), 0);
          output.show(row, (style) => scheduleText(row, style));
          return exitStatus.done;
        });
      }),
    );

/** What the command line says, checked as the file is. Throws `USAGE` with all that is wrong. */
function specOf(config: Config, name: string, options: object): ScheduleSpec {
  if (config.schedules.has(name)) {
    throw new PortolanError('USAGE', `Schedule "${name}" belongs to ${config.path}.`, {
      hint: 'Change it there, and then: portolan schedule apply',
    });
  }
  const { config: _config, output: _output, ...given } = options as Record<string, unknown>;
  const parsed = schedule.safeParse(given);
  const hasDrill = new Map(
    [...config.routes.values()].map((route) => [route.name, route.backup.drill !== undefined]),
  );
  const problems = [
    ...(parsed.success ? [] : problemLines(parsed.error, 'the schedule')),
    ...unclearSchedule('', { kind: 'backup', ...given }, hasDrill).map((problem) =>
      problem.replace(/^\./, ''),
    ),
  ];
  if (parsed.success && problems.length === 0) return compileSchedule(name, parsed.data);
  throw new PortolanError('USAGE', problemText(`schedule ${name}`, problems), {
    hint: 'See: portolan schedule create --help',
  });
}
