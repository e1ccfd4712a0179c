/**
 * What Portolan writes behind the times of a schedule. Temporal's list returns it, and of what a schedule starts it
 * returns only the type of the workflow.
 */
export interface TimesNote {
  /** As the file has it: Temporal keeps what it comes to. */
  readonly cron: string;
  /** Digest of the whole schedule. */
  readonly mark: string;
  /** When the schedule was created. @format milliseconds since the epoch */
  readonly createdAt: number;
}

/** `30 2 * * * [3f2a9c0d11e2b4aa 2026-11-27T03:12:18.000Z]` */
export const timesNote = ({ cron, mark, createdAt }: TimesNote): string =>
  `${cron} [${mark} ${new Date(createdAt).toISOString()}]`;

/** Undefined if Portolan did not write it. */
export function readTimesNote(text = ''): TimesNote | undefined {
  const [, cron, mark, time = ''] = /^(.+) \[([0-9a-f]{16}) (\S+)\]$/.exec(text) ?? [];
  const createdAt = Date.parse(time);
  return cron === undefined || mark === undefined || Number.isNaN(createdAt)
    ? undefined
    : { cron, mark, createdAt };
}
