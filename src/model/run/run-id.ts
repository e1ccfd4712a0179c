/**
 * At most as long as a file in a folder can be called by it: of 255 characters that any system takes, `.json` and what
 * marks a draft need 22. Names of 63 for a pipeline and a schedule, a task queue of 60, kind, time and parts fit in.
 */
const shape = /^[A-Za-z][A-Za-z0-9._:-]{0,232}$/;

/** Whether Portolan may have given an id to a run. */
export const isRunId = (id: string): boolean => shape.test(id);

/**
 * The short form that people are told to type: what follows the last hyphen. Of a run that a schedule started, it is
 * the time with the word before it, since schedules like the same hour: `nightly-2026-11-21T03:00:00Z`.
 */
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
const scheduledEnd = /(?:[^-]+-)?(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\dZ(?:n\d{3,})*$/;
const partOfScheduled = /Z((?:n\d{3,})+)$/;
/** Of these, too little is there to tell whether it ends a time. */
const maybeOfTime = /Z(?:n\d{3,})*$|^[n\d]*$/;

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

/** The id of a run by that which stands in the name of a file. */
export const runIdOfFile = (name: string): string =>
  name.replace(/(-\d{4}-\d\d-\d\dT\d\d)(\d\d)(\d\dZ(?:n\d{3,})*)$/, '$1:$2:$3');

/** Kinds of runs that are made of others, and the kinds of these; the first is what a part is of by itself. */
const partsOfKinds = {
  bisect: ['sync'],
  release: ['backup'],
  promotion: ['restore', 'rollback', 'settings', 'category-schema'],
  promote: ['promotion'],
} as const;
type WholeKind = keyof typeof partsOfKinds;

/**
 * The run of a part of another run, numbered from 1: ends like that run, so that both are found together. Numbers of
 * one length stand in no other id.
 * @param kind of the part. @default the one that such a run is made of
 */
export const partRunId = (wholeId: string, number: number, kind?: string): string => {
  const [own] = kindsOfParts(wholeId);
  return `${partPrefix(wholeId, kind ?? own ?? '')}${String(number).padStart(3, '0')}`;
};

/** Whether a run is a part of one that is made of parts. */
export const isPartOf = (runId: string, wholeId: string): boolean =>
  kindsOfParts(wholeId).some((kind) => runId.startsWith(partPrefix(wholeId, kind)));

/** The run of which a run may be a part, by its id. */
export function wholeOfPart(runId: string): string | undefined {
  for (const [whole, parts] of Object.entries(partsOfKinds)) {
    const [, rest] = new RegExp(`^(?:${parts.join('|')})-(.+)n\\d{3,}$`).exec(runId) ?? [];
    if (rest !== undefined) return `${whole}-${rest}`;
  }
  return undefined;
}

const kindsOfParts = (wholeId: string): readonly string[] =>
  partsOfKinds[wholeKind.exec(wholeId)?.[1] as WholeKind] ?? [];

const partPrefix = (wholeId: string, kind: string): string =>
  `${wholeId.replace(wholeKind, () => `${kind}-`)}n`;

const wholeKind = /^(bisect|release|promotion|promote)-/;
