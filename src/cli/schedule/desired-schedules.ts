import type { ScheduleOptions } from '@temporalio/client';
import type { Config } from '../../config/config';
import { type Cron, parseCron } from '../../model/schedule/cron';
import { PortolanError } from '../../model/errors/errors';
import type { Overlap, ScheduleSpec } from '../../model/schedule/schedule';
import { scheduledRunIdBase, scheduleId, watchId } from '../../model/schedule/schedule-id';
import { type ScheduleMemo, scheduleMemoKey, type ScheduleOrigin } from '../../model/schedule/schedule-memo';
import { type WatchInput, watchWorkflow } from '../../model/snapshot/watch-age';
import { calendarOf } from './schedule-calendar';
import { inputAt } from './scheduled-run';
import { startOptions } from '../run/start-run';

/** A schedule as it ought to be on the server. */
export interface DesiredSchedule {
  readonly id: string;
  readonly name: string;
  /** Absent for the one that watches the age of snapshots. */
  readonly spec?: ScheduleSpec;
  readonly cron: Cron;
  readonly origin: ScheduleOrigin;
  /** Without its state, which depends on what people did on the server. */
  readonly options: Required<Pick<ScheduleOptions, 'spec' | 'policies'>> & Pick<ScheduleOptions, 'action'>;
}

/** Overlap policies by Temporal's names. */
export const overlapPolicies = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'cancel-other': 'CANCEL_OTHER',
} as const satisfies Record<Overlap, string>;

/** What the watching schedule is called where it stands beside the others. */
export const WATCH_NAME = 'age of snapshots';
const WATCH_CRON = '*/15 * * * *';

/** All that a configuration asks for. Throws the first of what is wrong, with its place. */
export function desiredSchedules(config: Config): DesiredSchedule[] {
  const named = [...config.schedules.values()].map((spec) => desiredSchedule(config, spec, 'file'));
  const watch = desiredWatch(config);
  return watch ? [...named, watch] : named;
}

/** One schedule. Throws what resolving its route throws, `NO_USER`, and `CONFIG_INVALID` for a cron that is none. */
export function desiredSchedule(config: Config, spec: ScheduleSpec, origin: ScheduleOrigin): DesiredSchedule {
  const { name, kind, route, overlap, catchupMs } = spec;
  const { taskQueue } = config.temporal;
  const place = origin === 'file' ? `schedules.${name}` : `schedule ${name}`;
  const input = inputAt(place, config, spec);
  const { memo, ...start } = startOptions(kind, config, input);
  const cron = cronOf(spec.cron, place);
  const ownMemo: ScheduleMemo = { origin, paused: spec.paused, note: spec.note };
  return {
    id: scheduleId(taskQueue, name),
    name,
    spec,
    cron,
    origin,
    options: {
      spec: timesOf(spec, cron),
      policies: { overlap: overlapPolicies[overlap], catchupWindow: catchupMs, pauseOnFailure: false },
      action: {
        type: 'startWorkflow',
        workflowType: kind,
        workflowId: scheduledRunIdBase({ kind, route, name }, taskQueue),
        args: [input],
        memo: { ...memo, [scheduleMemoKey]: ownMemo },
        ...start,
      },
    },
  };
}

/** Watches the routes that say how old their last good snapshot may be; undefined where none does. */
function desiredWatch(config: Config): DesiredSchedule | undefined {
  const routes = [...config.routes.values()].flatMap(({ name, source, backup }) =>
    backup.maxAgeMs === undefined ? [] : [{ name, groupId: source.group, maxAgeMs: backup.maxAgeMs }],
  );
  if (routes.length === 0) return undefined;
  const { taskQueue } = config.temporal;
  const cron = cronOf(WATCH_CRON, WATCH_NAME);
  const input: WatchInput = { routes };
  const ownMemo: ScheduleMemo = { origin: 'file' };
  return {
    id: watchId(taskQueue),
    name: WATCH_NAME,
    cron,
    origin: 'file',
    options: {
      spec: timesOf({ cron: WATCH_CRON, timezone: 'UTC', jitterMs: 0 }, cron),
      // The next look sees what a missed one would have seen.
      policies: { overlap: 'SKIP', catchupWindow: 60_000, pauseOnFailure: false },
      action: {
        type: 'startWorkflow',
        workflowType: watchWorkflow,
        workflowId: `${watchWorkflow}-${taskQueue}`,
        taskQueue,
        args: [input],
        memo: { [scheduleMemoKey]: ownMemo },
        staticSummary: `age of the last good snapshot of ${routes.map(({ name }) => name).join(', ')}`.slice(
          0,
          200,
        ),
      },
    },
  };
}

const timesOf = (
  { cron: text, timezone, jitterMs }: Pick<ScheduleSpec, 'cron' | 'timezone' | 'jitterMs'>,
  cron: Cron,
): ScheduleOptions['spec'] => ({
  calendars: [calendarOf(cron, text)],
  timezone,
  // Without, Temporal has its own of a second.
  jitter: jitterMs,
});

function cronOf(text: string, place: string): Cron {
  const cron = parseCron(text);
  if (!('problem' in cron)) return cron;
  throw new PortolanError('CONFIG_INVALID', `${place}.cron: ${cron.problem}`);
}
