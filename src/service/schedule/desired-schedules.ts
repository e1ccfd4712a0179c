import { createHash } from 'node:crypto';
import type { ScheduleOptions } from '@temporalio/client';
import type { Config } from '../../config/config';
import { resolveDuePromotion, resolveRelease } from '../../config/resolve-pipeline';
import { resolveBackup, resolveDrill, resolveRoute } from '../../config/resolve-route';
import type { Control } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import type { DuePromotionInput } from '../../model/release/due-promotion';
import type { ReleaseInput } from '../../model/release/release-input';
import type { RunInput, SyncInput, Unnamed } from '../../model/run/run-input';
import type { BackupInput, DrillInput } from '../../model/run/snapshot-input';
import {
  type Overlap,
  type ScheduleMemo,
  scheduleMemoKey,
  type ScheduleSpec,
  subjectOf,
} from '../../model/schedule/schedule';
import { scheduledRunIdBase, scheduleId, watchId } from '../../model/schedule/schedule-id';
import { timesNote } from '../../model/schedule/times-note';
import { type WatchInput, watchWorkflow } from '../../model/snapshot/watch-age';
import { canonical } from '../../model/text/canonical';
import { requireUsers, startOptions } from '../run/start-run';

/** A schedule as it ought to be on the server. */
export interface DesiredSchedule {
  readonly id: string;
  readonly name: string;
  /** Absent for the one that watches the age of snapshots. */
  readonly spec?: ScheduleSpec;
  /** When it is due, as the file has it. */
  readonly cron: string;
  /** Without its state, which depends on what people did on the server. */
  readonly options: Required<Pick<ScheduleOptions, 'spec' | 'policies'>> &
    Pick<ScheduleOptions, 'action' | 'typedSearchAttributes'>;
  /** Id of the key that encrypts what it starts; absent where that is in clear. */
  readonly encryptedWith?: string;
  /** Digest of all of this. */
  readonly mark: string;
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
export function desiredSchedules(config: Config, control: Control): DesiredSchedule[] {
  const named = [...config.schedules.values()].map((spec) => desiredSchedule(config, control, spec));
  const watch = desiredWatch(config, control);
  return watch ? [...named, watch] : named;
}

const encryptedWith = ({ temporal: { encryption } }: Config): string | undefined =>
  encryption?.write ? encryption.keys[0]?.id : undefined;

/** One schedule. Throws what resolving its route throws, and `NO_USER`. */
export function desiredSchedule(config: Config, control: Control, spec: ScheduleSpec): DesiredSchedule {
  const { name, kind, cron, overlap, catchupMs } = spec;
  const { taskQueue } = config.temporal;
  const input = scheduledInput(config, spec);
  const { memo, ...start } = startOptions(kind, config, input);
  const ownMemo: ScheduleMemo = { paused: spec.paused, note: spec.note };
  const workflowId = scheduledRunIdBase({ kind, subject: subjectOf(spec), name }, taskQueue);
  return marked({
    id: scheduleId(taskQueue, name),
    name,
    spec,
    cron,
    encryptedWith: encryptedWith(config),
    options: {
      spec: timesOf(spec),
      // By these, Temporal's list tells what it starts.
      typedSearchAttributes: start.typedSearchAttributes,
      policies: { overlap: overlapPolicies[overlap], catchupWindow: catchupMs, pauseOnFailure: false },
      action: {
        type: 'startWorkflow',
        workflowType: kind,
        workflowId,
        args: [control.signSchedule(kind, workflowId, input)],
        memo: { ...memo, [scheduleMemoKey]: ownMemo },
        ...start,
      },
    },
  });
}

const marked = (bare: Omit<DesiredSchedule, 'mark'>): DesiredSchedule => ({
  ...bare,
  mark: createHash('sha256').update(canonical(bare)).digest('hex').slice(0, 16),
});

/** What Temporal is sent: its options, with the mark behind its times. */
export const markedOptions = ({ options, cron, mark }: DesiredSchedule, createdAt: number) => ({
  ...options,
  spec: {
    ...options.spec,
    cronExpressions: [`${cron} # ${timesNote({ cron, mark, createdAt })}`],
  },
});

/**
 * What a schedule starts each time, with the route as this configuration has it now. Temporal names the run.
 * Throws what resolving the route throws, and `NO_USER`, with the place of the schedule.
 */
function scheduledInput(config: Config, spec: ScheduleSpec): Unnamed<RunInput> {
  try {
    const input = inputOf(config, spec);
    // A drill reads nothing of where its snapshots were taken.
    requireUsers(config, spec.kind === 'drill' ? { target: input.route.target } : input.route);
    return input;
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    throw new PortolanError(error.code, `schedules.${spec.name}: ${error.plainMessage}`, error.facts);
  }
}

function inputOf(
  config: Config,
  spec: ScheduleSpec,
):
  | Unnamed<SyncInput>
  | Unnamed<BackupInput>
  | Unnamed<DrillInput>
  | Unnamed<ReleaseInput>
  | Unnamed<DuePromotionInput> {
  const { name } = spec;
  // Nobody sees the plan of a run that starts by itself, so nobody has said yes to it.
  const common = { startedBy: `schedule ${name}`, yes: false, scheduledBy: name };
  switch (spec.kind) {
    case 'sync':
      return { ...common, route: resolveRoute(config, { route: spec.route }) };
    case 'backup': {
      const { tags = [], keep, safeguardsMs, fullEveryMs } = config.routes.get(spec.route)?.backup ?? {};
      return { ...common, route: resolveBackup(config, spec.route), tags, keep, safeguardsMs, fullEveryMs };
    }
    case 'drill':
      return { ...common, route: resolveDrill(config, spec.route), import: spec.import };
    case 'release':
      return { ...common, ...resolveRelease(config, spec.pipeline), reason: spec.reason };
    case 'promote': {
      const { pipeline, stage, release, reason } = spec;
      return { ...common, ...resolveDuePromotion(config, pipeline, stage), release, reason };
    }
  }
}

/** Watches the routes that say how old their last good snapshot may be; undefined where none does. */
function desiredWatch(config: Config, control: Control): DesiredSchedule | undefined {
  const routes = [...config.routes.values()].flatMap(({ name, source, backup }) =>
    backup.maxAgeMs === undefined ? [] : [{ name, groupId: source.group, maxAgeMs: backup.maxAgeMs }],
  );
  if (routes.length === 0) return undefined;
  const { taskQueue } = config.temporal;
  const input: WatchInput = { routes };
  const ownMemo: ScheduleMemo = {};
  const workflowId = `${watchWorkflow}-${taskQueue}`;
  return marked({
    id: watchId(taskQueue),
    name: WATCH_NAME,
    cron: WATCH_CRON,
    encryptedWith: encryptedWith(config),
    options: {
      spec: timesOf({ cron: WATCH_CRON, timezone: 'UTC', jitterMs: 0 }),
      // The next look sees what a missed one would have seen.
      policies: { overlap: 'SKIP', catchupWindow: 60_000, pauseOnFailure: false },
      action: {
        type: 'startWorkflow',
        workflowType: watchWorkflow,
        workflowId,
        taskQueue,
        args: [control.signSchedule(watchWorkflow, workflowId, input)],
        memo: { [scheduleMemoKey]: ownMemo },
        staticSummary: `age of the last good snapshot of ${routes.map(({ name }) => name).join(', ')}`.slice(
          0,
          200,
        ),
      },
    },
  });
}

const timesOf = ({
  cron,
  timezone,
  jitterMs,
}: Pick<ScheduleSpec, 'cron' | 'timezone' | 'jitterMs'>): ScheduleOptions['spec'] => ({
  cronExpressions: [cron],
  timezone,
  // Without, Temporal has its own of a second.
  jitter: jitterMs,
});
