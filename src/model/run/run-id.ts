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
  const isDrawn = !runId.endsWith('Z');
  const end = isDrawn ? runId.lastIndexOf('-') : runId.length;
  // A store may hold a hundred thousand of them: this costs a tenth of what a pattern does.
  const at = isDrawn ? drawn(runId.slice(end - 17, end)) : Date.parse(runId.slice(end - 20));
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

const scheduledEnd = /[^-]+-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A run's id as it can stand in the name of a file on any system: without the colons of Temporal's times. */
export const fileRunId = (runId: string): string => runId.replaceAll(':', '');

/** The id of a run by that which stands in the name of a file. */
export const runIdOfFile = (name: string): string =>
  name.replace(/(-\d{4}-\d\d-\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1:$2:$3');

/**
 * The run of a part of a bisect, numbered from 1: ends like the bisect, so that both are found together. Numbers of one
 * length stand in no other id.
 */
export const partRunId = (bisectId: string, number: number): string =>
  `${partPrefix(bisectId)}${String(number).padStart(3, '0')}`;

export const isPartOf = (runId: string, bisectId: string): boolean =>
  bisectId.startsWith('bisect-') && runId.startsWith(partPrefix(bisectId));

/** The bisect of which a run may be a part, by its id. */
export function bisectOfPart(runId: string): string | undefined {
  const [, rest] = /^sync-(.+)n\d{3,}$/.exec(runId) ?? [];
  return rest === undefined ? undefined : `bisect-${rest}`;
}

const partPrefix = (bisectId: string): string => `${bisectId.replace(/^bisect-/, 'sync-')}n`;
