import type { ScheduledKind } from '../schedule/schedule';

/**
 * At most as long as a file in a folder can be called by it: of 255 characters that any system takes, `.json` and what
 * marks a draft need 22. Names of 63 for a pipeline and a schedule, a task queue of 60, kind, time and parts fit in.
 */
const shape = /^[A-Za-z][A-Za-z0-9._:-]{0,232}$/;

/** Whether Portolan may have given an id to a run. */
export const isRunId = (id: string): boolean => shape.test(id);

/** Short form that people type: the text after the last hyphen; for scheduled runs also the schedule's name. */
export const shortRunId = (runId: string): string =>
  scheduledEnd.exec(runId)?.[0] ?? runId.slice(runId.lastIndexOf('-') + 1);

/**
 * When a run was started, by its id, or of one that a schedule started, when it was due; undefined where the id does
 * not tell, as that of a request id.
 * @format milliseconds since the epoch
 */
export function timeOfRunId(runId: string): number | undefined {
  // Behind the time of what a schedule started stands at most which part of it this is.
  const last = runId.length - (partOfScheduled.exec(runId)?.[1]?.length ?? 0);
  const isDrawn = runId[last - 1] !== 'Z';
  const end = isDrawn ? runId.lastIndexOf('-') : last;
  // A store may hold a hundred thousand of them: this costs a tenth of what a pattern does.
  const at = isDrawn ? drawn(runId.slice(end - 17, end)) : Date.parse(runId.slice(end - 20, end));
  return Number.isNaN(at) ? undefined : at;
}

/** The name of a route in the ID of a run: `production.official` of the rule `protect/production/official`. */
export const nameInId = (route: string): string => route.replace(/^protect\//, '').replaceAll('/', '.');

/** `20261121T030000Z` @param at milliseconds since the epoch */
export const timeStamp = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');

/** Of `-20261121T030000Z`. */
const drawn = (time: string): number =>
  time[0] === '-' && time[9] === 'T' && time[16] === 'Z'
    ? Date.UTC(
        Number(time.slice(1, 5)),
        Number(time.slice(5, 7)) - 1,
        Number(time.slice(7, 9)),
        Number(time.slice(10, 12)),
        Number(time.slice(12, 14)),
        Number(time.slice(14, 16)),
      )
    : NaN;

/** With the word before the time, as far as it is there; of it the day. */
const scheduledEnd = /(?:[^-]+-)?(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\dZ(?:_\d{3,})*$/;
const partOfScheduled = /Z((?:_\d{3,})+)$/;
/** Of these, too little is there to tell whether it ends a time. */
const maybeOfTime = /Z(?:_\d{3,})*$|^[_\d]*$/;

/**
 * Under which end an id stands in the store's index, and where to look for ids that end so: the day of what a schedule
 * started, else the last two signs. Undefined where that cannot be told, and every id has to be looked at.
 */
export function indexedEnd(end: string): string | undefined {
  const [, day] = scheduledEnd.exec(end) ?? [];
  if (day !== undefined) return day;
  return maybeOfTime.test(end) || end.length < 2 ? undefined : end.slice(-2);
}

/** A run's id as it can stand in the name of a file on any system: without the colons of Temporal's times. */
export const fileRunId = (runId: string): string => runId.replaceAll(':', '');

/** The run ID from a file name. */
export const runIdOfFile = (name: string): string =>
  name.replace(/(-\d{4}-\d\d-\d\dT\d\d)(\d\d)(\d\dZ(?:_\d{3,})*)$/, '$1:$2:$3');

/**
 * Kinds of runs that are made of others, and what the IDs of these begin with; the first is what a part has by itself.
 * The backups of a rule keep its own, because those of a release have theirs.
 */
const partsOfKinds = {
  bisect: ['sync'],
  release: ['backup'],
  promotion: ['restore', 'rollback', 'settings', 'category-schema'],
  promote: ['promotion'],
  protect: ['protect'],
} as const;
type WholeKind = keyof typeof partsOfKinds;

/**
 * The id of a child run, numbered from 1: `restore-transport-20261121T030000Z-k7q2_003`. It ends like its parent, so
 * that both are found together. No other id ends in an underscore and digits.
 * @param kind of the part. @default the one that such a run is made of
 */
export const partRunId = (wholeId: string, number: number, kind?: string): string => {
  const [, whole, rest] = wholeKind.exec(wholeId) ?? [];
  if (rest === undefined) throw new RangeError(`${wholeId} has no child runs`);
  const [own] = partsOfKinds[whole as WholeKind];
  return `${kind ?? own}-${rest}_${String(number).padStart(3, '0')}`;
};

/** The parent of a child run, by its id; undefined for any other run. */
export function wholeOfPart(runId: string): string | undefined {
  for (const [whole, parts] of Object.entries(partsOfKinds)) {
    const [, rest] = new RegExp(`^(?:${parts.join('|')})-(.+)_\\d{3,}$`).exec(runId) ?? [];
    if (rest !== undefined) return `${whole}-${rest}`;
  }
  return undefined;
}

/** Whether a run is a child of another one. */
export const isPartOf = (runId: string, wholeId: string): boolean => wholeOfPart(runId) === wholeId;

/** The parent of a child run, the parent of that, and so on. */
export function wholesOf(runId: string): string[] {
  const whole = wholeOfPart(runId);
  return whole === undefined ? [] : [whole, ...wholesOf(whole)];
}

const wholeKind = /^(bisect|release|promotion|promote|protect)-(.+)$/;

/** Whether a run is one of a rule, or a backup by a rule; and so whether its snapshot is of a rule. */
export const isOfRule = (runId: string): boolean => runId.startsWith('protect-');

/**
 * The route, pipeline or rule of a run, by its ID and as `nameInId` has it; undefined where the ID does not tell. No name
 * has two hyphens in a row.
 */
export const subjectOfRunId = (runId: string): string | undefined =>
  subjectInId.exec(runId)?.[1]?.split('--')[0];

const subjectInId =
  /^[a-z]+-(.+?)-(?:\d{8}T\d{6}Z-[a-z0-9]+|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|request-[a-z0-9]+)(?:_\d{3,})*$/;

/** Search attributes of every run; all are keywords. */
export const searchAttributeNames = {
  kind: 'PortolanKind',
  route: 'PortolanRoute',
  phase: 'PortolanPhase',
  outcome: 'PortolanOutcome',
} as const;

/** Under this key of its memo a run says what it was started with. Plain, since workflow code needs it too. */
export const memoKey = 'portolan';

/** Ids of the schedules of one configuration begin so: its task queue tells it from others in the namespace. */
const schedulePrefix = (taskQueue: string): string => `portolan/${taskQueue}/`;

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
 * queue tells runs of several configurations apart that have schedules of one name. No name has two hyphens in a row, so
 * that `roads--east-nightly` and `roads-east--nightly` are runs of different schedules.
 */
export const scheduledRunIdBase = (
  { kind, subject, name }: { readonly kind: ScheduledKind; readonly subject: string; readonly name: string },
  taskQueue: string,
): string =>
  `${kind}-${[
    nameInId(subject),
    ...(taskQueue === USUAL_QUEUE ? [] : [taskQueue]),
    // A rule has one schedule, named like itself.
    ...(subject === name && name.includes('/') ? [] : [name]),
  ].join('--')}`;

/** What the id of a run of a schedule begins with; undefined for any other. */
export const scheduledRunIdBaseOf = (runId: string): string | undefined =>
  dueTimeOf(runId) === undefined ? undefined : runId.slice(0, -'-2026-11-21T03:00:00Z'.length);

/** When a run of a schedule was due, by its id. @format milliseconds since the epoch */
export function dueTimeOf(runId: string): number | undefined {
  const [, time] = /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(runId) ?? [];
  return time === undefined ? undefined : Date.parse(time);
}
