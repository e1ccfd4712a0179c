import type { ScheduledKind } from './schedule';

/** Ids of the schedules of one configuration begin so: its task queue tells it from others in the namespace. */
export const schedulePrefix = (taskQueue: string): string => `portolan/${taskQueue}/`;

export const scheduleId = (taskQueue: string, name: string): string => `${schedulePrefix(taskQueue)}${name}`;

/** The name of a schedule of this configuration; undefined for the id of any other. */
export const scheduleName = (taskQueue: string, id: string): string | undefined =>
  id.startsWith(schedulePrefix(taskQueue)) ? id.slice(schedulePrefix(taskQueue).length) : undefined;

/** The schedule that watches the age of snapshots; no name of a schedule can lead to it. */
export const watchId = (taskQueue: string): string => `portolan-ages/${taskQueue}`;

/** The default task queue. */
const USUAL_QUEUE = 'portolan';

/**
 * What ids of the runs of a schedule begin with; Temporal puts the time behind it, `-2026-11-21T03:00:00Z`. The task
 * queue tells runs of several configurations apart that have schedules of one name.
 */
export const scheduledRunIdBase = (
  { kind, subject, name }: { readonly kind: ScheduledKind; readonly subject: string; readonly name: string },
  taskQueue: string,
): string => [kind, subject, ...(taskQueue === USUAL_QUEUE ? [] : [taskQueue]), name].join('-');

/** The id of the run of a schedule for a time at which it is due. */
export const scheduledRunId = (base: string, dueAt: number): string =>
  `${base}-${new Date(dueAt).toISOString().replace(/\.\d+Z$/, 'Z')}`;

/** What the id of a run of a schedule begins with; undefined for any other. */
export const scheduledRunIdBaseOf = (runId: string): string | undefined =>
  dueTimeOf(runId) === undefined ? undefined : runId.slice(0, -'-2026-11-21T03:00:00Z'.length);

/** When a run of a schedule was due, by its id. @format milliseconds since the epoch */
export function dueTimeOf(runId: string): number | undefined {
  const [, time] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(runId) ?? [];
  return time === undefined ? undefined : Date.parse(time);
}
