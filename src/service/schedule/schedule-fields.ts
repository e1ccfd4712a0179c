import {
  type CalendarSpecDescription,
  DAYS_OF_WEEK,
  MONTHS,
  type Range,
  type ScheduleDescription,
} from '@temporalio/client';
import { type Cron, parseCron } from '../../model/schedule/cron';
import {
  type Overlap,
  readScheduleMemo,
  scheduleMemoKey,
  readTimesNote,
  type TimesNote,
} from '../../model/schedule/schedule';
import type { Signed } from '../../model/run/signature';
import { exactDuration } from '../../model/text/words';
import { overlapPolicies, type DesiredSchedule } from './desired-schedules';

/** The fields of a schedule as text, by name, for comparison. */
export type ScheduleFields = Readonly<Record<string, string>>;

/** Fields of a desired schedule. */
export function desiredFields({ options, cron, mark }: DesiredSchedule): ScheduleFields {
  const { spec, policies, action } = options;
  return fieldsOf({
    kind: String(action.workflowType),
    cron,
    timezone: spec.timezone,
    jitterMs: spec.jitter,
    overlap: policies.overlap,
    catchupMs: policies.catchupWindow,
    isOfFile: true,
    input: action.args?.[0],
    form: formOf(action, policies.pauseOnFailure, mark),
  });
}

/** Fields of a schedule on the server. */
export function fieldsOnServer({ spec, policies, action }: ScheduleDescription): ScheduleFields {
  const times = timesOnServer(spec);
  return fieldsOf({
    kind: action.workflowType,
    cron: times?.cron ?? OTHER_TIMES,
    timezone: spec.timezone,
    jitterMs: spec.jitter,
    overlap: policies.overlap,
    catchupMs: policies.catchupWindow,
    isOfFile: readScheduleMemo(action.memo) !== undefined,
    input: action.args?.[0],
    form: formOf(action, policies.pauseOnFailure, times?.mark),
  });
}

interface Contents {
  readonly kind: string;
  readonly cron: string;
  readonly timezone?: string;
  readonly jitterMs?: unknown;
  readonly overlap?: string;
  readonly catchupMs?: unknown;
  readonly isOfFile: boolean;
  readonly input: unknown;
  readonly form: unknown;
}

function fieldsOf(contents: Contents): ScheduleFields {
  const { kind, cron, timezone, jitterMs, overlap, catchupMs, isOfFile, input, form } = contents;
  const { proof: _proof, ...bare } = (input ?? {}) as Signed;
  return {
    kind,
    cron,
    'time zone': timezone || 'UTC',
    jitter: exactDuration(Number(jitterMs ?? 0)),
    overlap: overlapName(overlap),
    'catch-up': exactDuration(Number(catchupMs ?? 0)),
    'defined in': isOfFile ? 'the file' : 'elsewhere',
    ...flattened(bare, ''),
    // Fields people do not choose: they differ after an upgrade, or a change with another tool.
    form: JSON.stringify(Object.entries(flattened(form, '')).sort()),
  };
}

/** Under which a schedule starts its runs; another one for whatever it says, and under another control key. */
export const signatureOf = (args: readonly unknown[] = []): string =>
  (args[0] as Signed | undefined)?.proof?.mac.slice(0, 12) ?? 'none';

/** All the rest of what a schedule starts; the route's name is in its ids, and its ends are in its input. */
const formOf = (
  action: DesiredSchedule['options']['action'] | ScheduleDescription['action'],
  pausesOnFailure?: boolean,
  mark?: string,
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
    mark,
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

/** Portolan's name of a policy, else Temporal's. */
export const overlapName = (policy: string | undefined): string =>
  (Object.keys(overlapPolicies) as Overlap[]).find((name) => overlapPolicies[name] === policy) ??
  (policy ?? 'skip').toLowerCase().replaceAll('_', '-');

/** Shown instead of a cron expression if another tool wrote the times. */
export const OTHER_TIMES = 'times not set by Portolan';

/** The times written by Portolan, in the file's form and parsed. */
export interface WrittenTimes extends TimesNote {
  readonly times: Cron;
}

type Spec = ScheduleDescription['spec'];

/** Undefined if another tool wrote or changed the times of the schedule. */
export function timesOnServer(spec: Spec): WrittenTimes | undefined {
  const times = cronOnServer(spec);
  const note = readTimesNote(spec.calendars?.[0]?.comment);
  const said = note && parseCron(note.cron);
  if (!times || !note || !said || 'problem' in said) return undefined;
  return JSON.stringify(times) === JSON.stringify(said) ? { ...note, times } : undefined;
}

/** The times of a schedule on the server, by any tool; undefined if no cron expression matches them. */
export function cronOnServer({ calendars, intervals, skip, startAt, endAt }: Spec): Cron | undefined {
  const [calendar, ...others] = calendars ?? [];
  if (!calendar || others.length > 0 || intervals?.length || skip?.length || startAt || endAt)
    return undefined;
  return cronOf(calendar);
}

/** The cron expression of a server calendar; undefined if there is none. */
function cronOf(calendar: CalendarSpecDescription): Cron | undefined {
  const { second, minute, hour, dayOfMonth, month, year, dayOfWeek } = calendar;
  if (year.length > 0 || valuesOf(second, Number).some((value) => value !== 0)) return undefined;
  return {
    minutes: valuesOf(minute, Number),
    hours: valuesOf(hour, Number),
    daysOfMonth: valuesOf(dayOfMonth, Number),
    months: valuesOf(month, (name) => MONTHS.indexOf(name) + 1),
    daysOfWeek: valuesOf(dayOfWeek, (name) => DAYS_OF_WEEK.indexOf(name)),
  };
}

function valuesOf<T>(ranges: readonly Range<T>[], numberOf: (value: T) => number): number[] {
  const values = new Set<number>();
  for (const { start, end, step } of ranges) {
    for (let value = numberOf(start); value <= numberOf(end); value += Math.max(1, step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}
