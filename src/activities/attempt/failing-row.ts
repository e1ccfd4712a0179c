import { LONGEST_PAUSE_MS, READS_FAIL_MS } from '../../model/errors/budgets';

/** Attempts that failed one after the other without getting any further. */
export interface FailingRow {
  /** When the first of them failed, milliseconds since the epoch. */
  readonly since: number;
  /** The progress at which they stand, as JSON. */
  readonly at: string;
}

/** What an activity says of itself: its progress, and the row of failures that it is in. */
export interface Beat {
  readonly progress?: object;
  readonly failing?: FailingRow;
}

/** A busy worker takes moments, and the clocks of two workers differ: so much more than a pause is no absence. */
const SLACK_MS = 2 * 60_000;

/**
 * A heartbeat's details: the progress as it is, and beside it the row, and until when the next attempt would begin
 * if a worker is up.
 */
export const detailsOf = ({ progress, failing }: Beat, pauseMs = LONGEST_PAUSE_MS): object => ({
  ...progress,
  ...(failing && { failing }),
  due: Date.now() + pauseMs + SLACK_MS,
});

export function beatIn(details: unknown): Beat {
  if (typeof details !== 'object' || details === null) return {};
  const { failing, due: _due, ...progress } = details as { failing?: FailingRow; due?: number };
  return { ...(Object.keys(progress).length > 0 && { progress }), ...(failing && { failing }) };
}

/** How long an attempt that begins now has waited for a worker, by the details that it finds. @format milliseconds */
export function unattended(details: unknown): number {
  const { due = Number.POSITIVE_INFINITY } = (details ?? {}) as { due?: number };
  return Math.max(0, Date.now() - due);
}

/** The same with a row that began so much later. @param ms in which nobody tried */
export const later = ({ progress, failing }: Beat, ms: number): Beat => ({
  progress,
  failing: failing && { ...failing, since: failing.since + ms },
});

/** The row that a failure at this progress belongs to: the one that is there, or one that begins with it. */
export function rowWith({ progress, failing }: Beat): FailingRow {
  const at = JSON.stringify(progress ?? {});
  return failing?.at === at ? failing : { since: Date.now(), at };
}

/** How long a row has gone on, once that is more than a call may fail. @format milliseconds */
export function overdue({ since }: FailingRow): number | undefined {
  const ms = Date.now() - since;
  return ms > READS_FAIL_MS ? ms : undefined;
}
