import type { ScheduleDescription } from '@temporalio/client';
import type { Overlap } from '../../model/schedule/schedule';
import { readScheduleMemo, scheduleMemoKey } from '../../model/schedule/schedule-memo';
import { parseCron } from '../../model/schedule/cron';
import { exactDuration } from '../../model/text/exact-duration';
import { cronTextOf } from './schedule-calendar';
import { overlapPolicies, type DesiredSchedule } from './desired-schedules';

/** What there is to say of a schedule, in words by name, so that two of them can be compared. */
export type ScheduleFields = Readonly<Record<string, string>>;

/** A schedule as it ought to be. */
export function desiredFields({ options, origin }: DesiredSchedule): ScheduleFields {
  const { spec, policies, action } = options;
  const [calendar] = spec.calendars ?? [];
  return fieldsOf({
    kind: String(action.workflowType),
    cron: calendar?.comment ?? '',
    timezone: spec.timezone,
    jitterMs: spec.jitter,
    overlap: policies.overlap,
    catchupMs: policies.catchupWindow,
    origin,
    input: action.args?.[0],
    form: formOf(action, policies.pauseOnFailure),
  });
}

/** A schedule as the server has it. */
export function fieldsOnServer({ spec, policies, action }: ScheduleDescription): ScheduleFields {
  return fieldsOf({
    kind: action.workflowType,
    cron: cronTextOf(spec),
    timezone: spec.timezone,
    jitterMs: spec.jitter,
    overlap: policies.overlap,
    catchupMs: policies.catchupWindow,
    origin: readScheduleMemo(action.memo)?.origin,
    input: action.args?.[0],
    form: formOf(action, policies.pauseOnFailure),
  });
}

interface Contents {
  readonly kind: string;
  readonly cron: string;
  readonly timezone?: string;
  readonly jitterMs?: unknown;
  readonly overlap?: string;
  readonly catchupMs?: unknown;
  readonly origin?: string;
  readonly input: unknown;
  readonly form: unknown;
}

function fieldsOf(contents: Contents): ScheduleFields {
  const { kind, cron, timezone, jitterMs, overlap, catchupMs, origin, input, form } = contents;
  return {
    kind,
    cron,
    'time zone': timezone || 'UTC',
    jitter: exactDuration(Number(jitterMs ?? 0)),
    overlap: overlapName(overlap),
    'catch-up': exactDuration(Number(catchupMs ?? 0)),
    'written down':
      origin === 'command line' ? 'on the command line' : origin === 'file' ? 'in the file' : 'elsewhere',
    ...flattened(input, ''),
    // What people do not choose: it differs after an upgrade, or where somebody changed it with another tool.
    form: JSON.stringify(Object.entries(flattened(form, '')).sort()),
  };
}

/** All the rest of what a schedule starts; the route's name is in its ids, and its ends are in its input. */
const formOf = (
  action: DesiredSchedule['options']['action'] | ScheduleDescription['action'],
  pausesOnFailure?: boolean,
) => {
  const { [scheduleMemoKey]: _own, ...memo } = action.memo ?? {};
  const { workflowId, taskQueue, staticSummary, staticDetails } = action;
  return {
    workflowId,
    taskQueue,
    memo,
    staticSummary,
    staticDetails,
    pausesOnFailure: pausesOnFailure ?? false,
  };
};

/** `route.options.overwrite: yes`: each value of an object by its path. */
function flattened(value: unknown, place: string): Record<string, string> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.assign(
      {},
      ...Object.entries(value).map(([key, below]) =>
        flattened(below, place === '' ? key : `${place}.${key}`),
      ),
    ) as Record<string, string>;
  }
  const isDuration = /Ms$/.test(place) && typeof value === 'number';
  return { [place.replace(/Ms$/, '')]: isDuration ? exactDuration(value) : words(value) };
}

function words(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value)
    ? value.map(words).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}

/** Our name of a policy; that of Temporal where we have none. */
export const overlapName = (policy: string | undefined): string =>
  (Object.keys(overlapPolicies) as Overlap[]).find((name) => overlapPolicies[name] === policy) ??
  (policy ?? 'skip').toLowerCase().replaceAll('_', '-');

/** The due times of a schedule of the server, where Portolan wrote them. */
export function cronOnServer({ spec }: Pick<ScheduleDescription, 'spec'>) {
  const cron = parseCron(cronTextOf(spec));
  return 'problem' in cron ? undefined : cron;
}
