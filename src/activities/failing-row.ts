import { READS_FAIL_MS } from '../model/budgets';

/** Attempts that failed one after the other without getting any further. */
export interface FailingRow {
  /** When the first of them failed, milliseconds since the epoch. */
  readonly since: number;
  /** The progress at which they stand, as JSON. */
  readonly at: string;
}

/** A heartbeat's details: an activity's progress, and beside it the row of failures that it is in. */
export interface Beat {
  readonly progress?: object;
  readonly failing?: FailingRow;
}

/** As details travel: the progress as it is, with the row as one more field. */
export const detailsOf = ({ progress, failing }: Beat): object | undefined =>
  failing ? { ...progress, failing } : progress;

export function beatIn(details: unknown): Beat {
  if (typeof details !== 'object' || details === null) return {};
  const { failing, ...progress } = details as { failing?: FailingRow };
  return { ...(Object.keys(progress).length > 0 && { progress }), ...(failing && { failing }) };
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
