import type { ScheduleOptions } from '@temporalio/client';
import type { Config } from '../../config/config';
import { resolveDuePromotion, resolveRelease } from '../../config/resolve-pipeline';
import { resolveBackup, resolveDrill, resolveRoute } from '../../config/resolve-route';
import { allSchedules, findRule, resolveRule, rulesOf } from '../../config/resolve-rule';
import type { Control } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import type { DuePromotionInput } from '../../model/release/promotion-input';
import type { ReleaseInput } from '../../model/release/release-input';
import type { RunInput, SyncInput, Unnamed, BackupInput, DrillInput } from '../../model/run/run-input';
import {
  type Overlap,
  type ScheduleMemo,
  scheduleMemoKey,
  type ScheduleSpec,
  subjectOf,
  timesNote,
} from '../../model/schedule/schedule';
import { scheduledRunIdBase, scheduleId, watchId } from '../../model/run/run-id';
import type { ProtectInput } from '../../model/snapshot/protect-input';
import { type WatchInput, watchWorkflow } from '../../model/snapshot/watch-age';
import { canonical, hashOfText } from '../../domain/snapshot/hashing';
import { requireUsers, startOptions } from '../run/start-run';

/** A schedule as it should be on the server. */
export interface DesiredSchedule {
  readonly id: string;
  readonly name: string;
  /** Absent for the watch over snapshot ages. */
  readonly spec?: ScheduleSpec;
  /** When it is due, as the file has it. */
  readonly cron: string;
  /** Without its state, which people can change on the server. */
  readonly options: Required<Pick<ScheduleOptions, 'spec' | 'policies'>> &
    Pick<ScheduleOptions, 'action' | 'typedSearchAttributes'>;
  /** ID of the key that encrypts its input; absent if unencrypted. */
  readonly encryptedWith?: string;
  /** Digest of all of this. */
  readonly mark: string;
}

/** Overlap policies by Temporal's names. */
export const overlapPolicies = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
} as const satisfies Record<Overlap, string>;

/** Display name of the watch over snapshot ages. */
export const WATCH_NAME = 'age of snapshots';
/** Starts that were missed while Temporal was down are made up for within this time. */
const CATCH_UP_MS = 3_600_000;
const WATCH_CRON = '*/15 * * * *';

/** All schedules of a configuration. Throws the first problem, with its place. */
export function desiredSchedules(config: Config, control: Control): DesiredSchedule[] {
  const named = [...allSchedules(config).values()].map((spec) => desiredSchedule(config, control, spec));
  const watch = desiredWatch(config, control);
  return watch ? [...named, watch] : named;
}

const encryptedWith = ({ temporal: { encryption } }: Config): string | undefined =>
  encryption?.write ? encryption.keys[0]?.id : undefined;

/** One schedule. Throws what resolving its route throws, and `NO_USER`. */
export function desiredSchedule(config: Config, control: Control, spec: ScheduleSpec): DesiredSchedule {
  const { name, kind, cron, overlap } = spec;
  const { taskQueue } = config.temporal;
  const input = scheduledInput(config, spec);
  const { memo, ...start } = startOptions(kind, config, input);
  const ownMemo: ScheduleMemo = { paused: spec.paused };
  const workflowId = scheduledRunIdBase({ kind, subject: subjectOf(spec), name }, taskQueue);
  return marked({
    id: scheduleId(taskQueue, name),
    name,
    spec,
    cron,
    encryptedWith: encryptedWith(config),
    options: {
      spec: timesOf(spec),
      // Temporal's list shows these, so they identify what it starts.
      typedSearchAttributes: start.typedSearchAttributes,
      policies: { overlap: overlapPolicies[overlap], catchupWindow: CATCH_UP_MS, pauseOnFailure: false },
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
  mark: hashOfText(canonical(bare)).slice(0, 16),
});

/** The options sent to Temporal, with the note after the times. */
export const markedOptions = ({ options, cron, mark }: DesiredSchedule, createdAt: number) => ({
  ...options,
  spec: {
    ...options.spec,
    cronExpressions: [`${cron} # ${timesNote({ cron, mark, createdAt })}`],
  },
});

/**
 * The input of a schedule's runs, with the route as configured now. Temporal names the run. Throws problems of the
 * route, and `NO_USER`, with the place of the schedule.
 */
function scheduledInput(config: Config, spec: ScheduleSpec): Unnamed<RunInput> {
  try {
    const input = inputOf(config, spec);
    // A drill does not read the source portal.
    requireUsers(config, spec.kind === 'drill' ? { target: input.route.target } : input.route);
    return input;
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    throw new PortolanError(error.code, `${placeOf(spec)}: ${error.plainMessage}`, error.facts);
  }
}

/** Where the file has it. */
const placeOf = (spec: ScheduleSpec): string =>
  spec.kind === 'protect' ? `portals.${spec.portal}.protect.${spec.rule}.schedule` : `schedules.${spec.name}`;

function inputOf(
  config: Config,
  spec: ScheduleSpec,
):
  | Unnamed<SyncInput>
  | Unnamed<BackupInput>
  | Unnamed<DrillInput>
  | Unnamed<ReleaseInput>
  | Unnamed<DuePromotionInput>
  | Unnamed<ProtectInput> {
  const { name } = spec;
  // No one sees the plan of a scheduled run, so it cannot be approved at the start.
  const common = { startedBy: `schedule ${name}`, yes: false, scheduledBy: name };
  switch (spec.kind) {
    case 'sync':
      return { ...common, route: resolveRoute(config, { route: spec.route }) };
    case 'backup': {
      const { tags = [], keep, fullEveryMs } = config.routes.get(spec.route)?.backup ?? {};
      return { ...common, route: resolveBackup(config, spec.route), tags, keep, fullEveryMs };
    }
    case 'drill':
      return { ...common, route: resolveDrill(config, spec.route), import: spec.import };
    case 'release':
      return { ...common, ...resolveRelease(config, spec.pipeline), reason: spec.reason };
    case 'promote': {
      const { pipeline, stage, reason } = spec;
      return { ...common, ...resolveDuePromotion(config, pipeline, stage), reason };
    }
    case 'protect':
      return { ...common, ...resolveRule(config, findRule(config, name)) };
  }
}

/** The watch over routes and rules with a maximum age of the last good snapshot; undefined if there are none. */
function desiredWatch(config: Config, control: Control): DesiredSchedule | undefined {
  const all = [
    ...[...config.routes.values()].map(({ name, source, backup }) => ({
      name,
      groupId: source.group,
      backup,
    })),
    ...rulesOf(config).map(({ route, backup }) => ({ name: route, groupId: '', backup })),
  ];
  const routes = all.flatMap(({ name, groupId, backup: { maxAgeMs } }) =>
    maxAgeMs === undefined ? [] : [{ name, groupId, maxAgeMs }],
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
      spec: timesOf({ cron: WATCH_CRON, timezone: 'UTC' }),
      // The next check covers a missed one.
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

const timesOf = ({ cron, timezone }: Pick<ScheduleSpec, 'cron' | 'timezone'>): ScheduleOptions['spec'] => ({
  cronExpressions: [cron],
  timezone,
  // Without it, Temporal adds its own jitter of a second.
  jitter: 0,
});
