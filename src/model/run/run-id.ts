/**
 * The short form that people are told to type: what follows the last hyphen. Of a run that a schedule started, it is
 * the time with the word before it, since schedules like the same hour: `nightly-2026-11-21T03:00:00Z`.
 */
export const shortRunId = (runId: string): string =>
  scheduledEnd.exec(runId)?.[0] ?? runId.slice(runId.lastIndexOf('-') + 1);

const scheduledEnd = /[^-]+-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A run's id as it can stand in the name of a file on any system: without the colons of Temporal's times. */
export const fileRunId = (runId: string): string => runId.replaceAll(':', '');

/**
 * The run of a part of a bisect, numbered from 1: ends like the bisect, so that both are found together. Numbers of one
 * length stand in no other id.
 */
export const partRunId = (bisectId: string, number: number): string =>
  `${partPrefix(bisectId)}${String(number).padStart(3, '0')}`;

export const isPartOf = (runId: string, bisectId: string): boolean =>
  bisectId.startsWith('bisect-') && runId.startsWith(partPrefix(bisectId));

const partPrefix = (bisectId: string): string => `${bisectId.replace(/^bisect-/, 'sync-')}n`;
