import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import type { ScheduleSpec } from '../../../model/schedule/schedule';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { differenceText, doneWords } from '../render/schedules';
import { optionsText } from '../../terminal/typed-options';
import { countOf, portalsOf } from '../../../model/text/words';
import {
  applyChanges,
  type ScheduleChange,
  scheduleDifference,
} from '../../../service/schedule/schedule-difference';
import { scheduleWarnings } from '../../../service/schedule/schedule-warnings';
import { serverSchedules } from '../../../service/schedule/server-schedules';
import { pollingWorkers, withTemporal } from '../../../temporal/session';
import { compareWorkers } from '../../../service/run/able-workers';
import { openControl } from '../../../domain/control/control';
import { desiredSchedules } from '../../../service/schedule/desired-schedules';

/** `portolan schedule apply`: the server's schedules become those of the file, once somebody has seen what changes. */
export const scheduleApplyCommand = () =>
  new Command('apply')
    .description(
      'Makes the schedules of the server match portolan.yaml, and says first what changes. Those that another tool made stay, and a schedule that somebody paused stays paused unless the file says paused: false.',
    )
    .option('--dry-run', 'only say what would change')
    .option('--exit-code', 'with --dry-run: end with 20 where something would change')
    .option('--yes', 'do it without asking')
    .option('--prune', 'delete those that another tool made as well')
    .action(({ dryRun = false, exitCode, yes, prune }, command) =>
      perform(command, async (output, globals) => {
        if (exitCode && !dryRun) {
          throw new PortolanError('USAGE', '--exit-code goes with --dry-run.', {
            hint: 'See: portolan schedule apply --help',
          });
        }
        const config = loadConfig(globals.config);
        const desired = desiredSchedules(config, await openControl(config));
        const { taskQueue } = config.temporal;
        return withTemporal(config, async (temporal) => {
          const changes = scheduleDifference(desired, await serverSchedules(temporal, config), { prune });
          const open = changes.filter(isOpen);
          const done = new Set<ScheduleChange>();
          const show = (): void =>
            output.showList(
              changes.map((change) => plainChange(change, done.has(change))),
              (style) => differenceText(changes, style),
            );
          // People see the difference before they are asked; programs get it once, with what became of it.
          if (output.format === 'table') show();
          const news = open.flatMap((change) => change.desired ?? []);
          for (const warning of news.flatMap((each) => scheduleWarnings(each, Date.now())))
            output.note(output.side.colors.yellow(`warning  ${warning}`));
          const end = (status: number, note: string): number => {
            if (output.format !== 'table') show();
            output.note(note);
            return status;
          };
          if (open.length === 0) return end(exitStatus.done, '\nNothing to change.');
          if (dryRun) {
            const status = exitCode ? exitStatus.differences : exitStatus.done;
            return end(
              status,
              `\nNothing was changed. To do it: portolan schedule apply${optionsText({ prune })}`,
            );
          }
          const workers = await pollingWorkers(temporal, taskQueue).catch(() => undefined);
          const used = news.flatMap(({ spec }) => (spec ? portalsUsed(config, spec) : []));
          if (workers) await compareWorkers({ config, temporal }, used, workers);
          const answer =
            yes ??
            (await askYes(`Change ${countOf(open.length, 'schedule')} on the server?`, {
              what: 'Nobody said yes to this, and nothing was changed.',
              hint: `To do it: portolan schedule apply --yes${optionsText({ prune })}`,
            }));
          if (!answer) return end(exitStatus.cancelled, '\nNothing was changed.');
          await applyChanges(temporal, open, (change) => {
            done.add(change);
            output.note(doneWords(change));
          });
          if (workers?.length === 0)
            output.note(
              `note  no worker is up: what is started waits for one. Start one with: portolan worker`,
            );
          return end(exitStatus.done, 'look     portolan schedule list');
        });
      }),
    );

/** Portals at which the runs of a schedule work; none of a name that the file has not. */
function portalsUsed({ routes, pipelines }: Config, spec: ScheduleSpec): string[] {
  if ('pipeline' in spec) {
    const stages = pipelines.get(spec.pipeline)?.stages ?? [];
    const stage = 'stage' in spec ? stages.find(({ name }) => name === spec.stage) : stages[0];
    return stage ? [stage.portal] : [];
  }
  const route = routes.get(spec.route);
  return route ? portalsOf(route) : [];
}

const isOpen = ({ change }: ScheduleChange): boolean => change !== 'unchanged' && change !== 'left';

const plainChange = ({ name, change, fields, keptPause }: ScheduleChange, done: boolean) => ({
  name,
  change,
  fields,
  keptPause,
  done,
});
