import { hashOfJson } from '../../domain/snapshot/hashing';
import type { Config } from '../../config/config';
import { type AppliedSchedules, changedWords, type ScheduleChangeRow } from '../../contract/schedules';
import { openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import type { RunInput, Unnamed } from '../../model/run/run-input';
import { parseCron } from '../../model/schedule/cron';
import { type ScheduleSpec, subjectOf } from '../../model/schedule/schedule';
import { portalsOf } from '../../model/text/words';
import type { RunRoute } from '../../model/transfer/route';
import { pollingWorkers } from '../../temporal/task-queue';
import { compareWorkers } from '../run/compatible-workers';
import type { ReadContext } from '../run/run-sources';
import { type DesiredSchedule, desiredSchedules } from './desired-schedules';
import { applyChanges, isAsDesired, readDifference, type ScheduleChange } from './schedule-difference';
import { untilListed } from './server-schedules';

/**
 * Applies the configured schedules to Temporal. Throws problems of a schedule, `CONFIG_MISMATCH` and the like for
 * workers that could not run them, and `PLAN_CHANGED` if the changes differ from those seen.
 * @param say is told of each change as it is made
 */
export async function applySchedules(
  { config, temporal }: Required<Pick<ReadContext, 'config' | 'temporal'>>,
  { prune, dryRun, seen }: { readonly prune?: boolean; readonly dryRun?: boolean; readonly seen?: string },
  say: (words: string) => void = () => undefined,
): Promise<AppliedSchedules> {
  const desired = desiredSchedules(config, await openControl(config));
  const changes = await readDifference(temporal, config, desired, { prune });
  const open = changes.filter(({ change }) => change !== 'unchanged' && change !== 'left');
  const news = open.flatMap((change) => change.desired ?? []);
  const warnings = news.flatMap(scheduleWarnings);
  const mark = markOf(open);
  const answer = { warnings, seen: mark };
  if (seen !== undefined && seen !== mark)
    throw new PortolanError(
      'PLAN_CHANGED',
      'The changes to schedules differ from those shown; nothing was changed.',
      {
        hint: 'See them: portolan schedule apply',
      },
    );
  const done = new Set<ScheduleChange>();
  const rows = (): ScheduleChangeRow[] => changes.map((change) => rowOf(change, done.has(change)));
  if (dryRun || open.length === 0) return { ...answer, changes: rows() };
  const workers = await pollingWorkers(temporal, config.temporal.taskQueue).catch(() => undefined);
  const used = news.flatMap(({ spec }) => (spec ? portalsUsed(config, spec) : []));
  if (workers) await compareWorkers({ config, temporal }, used, workers);
  await applyChanges(temporal, open, (change) => {
    done.add(change);
    say(changedWords(change));
  });
  await untilListed({ config, temporal }, (listed) =>
    open.every(({ change, name, desired: wanted }) => {
      const found = listed.find((each) => each.name === name);
      return change === 'delete' ? found === undefined : wanted !== undefined && isAsDesired(wanted, found);
    }),
  );
  return { ...answer, changes: rows(), ...(workers && { isWorkerUp: workers.length > 0 }) };
}

/** Warnings about a schedule for its author, one per line. */
function scheduleWarnings({ name, spec, options }: DesiredSchedule): string[] {
  const cron = parseCron(spec?.cron ?? '');
  if (!spec || 'problem' in cron) return [];
  const warnings: string[] = [];
  if (cron.daysOfMonth.length < 31 && cron.daysOfWeek.length < 7) {
    warnings.push(
      `${name}: "${spec.cron}" is due only on days that match both the day of the month and the day of the week`,
    );
  }
  const { route } = options.action.args?.[0] as Unnamed<RunInput>;
  if (spec.kind === 'sync' || spec.kind === 'promote') warnings.push(...approvalWarning(name, spec, route));
  return warnings;
}

function approvalWarning(name: string, spec: ScheduleSpec, { name: route, options }: RunRoute): string[] {
  if (options.approval === 'none') return [];
  const [asking, each] =
    spec.kind === 'promote'
      ? [`pipelines.${route}.stages.${spec.stage}`, 'promotion']
      : [`routes.${route}`, 'run'];
  return [
    `${name}: ${asking} has approval: ${options.approval}, so each ${each} waits for approval of its plan until the next one is due`,
  ];
}

/** Portals used by a schedule's runs; none for unknown names. */
function portalsUsed({ routes, pipelines }: Config, spec: ScheduleSpec): string[] {
  if ('pipeline' in spec) {
    const stages = pipelines.get(spec.pipeline)?.stages ?? [];
    const stage = 'stage' in spec ? stages.find(({ name }) => name === spec.stage) : stages[0];
    return stage ? [stage.portal] : [];
  }
  if ('rule' in spec) return [spec.portal];
  const route = routes.get(spec.route);
  return route ? portalsOf(route) : [];
}

function rowOf(
  { name, change, fields, keptPause, desired }: ScheduleChange,
  done: boolean,
): ScheduleChangeRow {
  const spec = change === 'create' ? desired?.spec : undefined;
  const starts = spec && `${spec.kind} ${subjectOf(spec)}, due ${spec.cron} ${spec.timezone}`;
  return { name, change, fields, keptPause, done, ...(starts !== undefined && { starts }) };
}

const markOf = (open: readonly ScheduleChange[]): string =>
  hashOfJson(open.map((each) => rowOf(each, false))).slice(0, 32);
