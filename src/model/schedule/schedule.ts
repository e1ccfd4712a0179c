/** What a schedule starts. */
export const scheduledKinds = ['backup', 'sync', 'drill'] as const;
export type ScheduledKind = (typeof scheduledKinds)[number];

/** What happens where the last run still goes on when the next is due. */
export const overlaps = ['skip', 'buffer-one', 'buffer-all', 'cancel-other'] as const;
export type Overlap = (typeof overlaps)[number];

/** A schedule as portolan.yaml or the command line has it. */
export interface ScheduleSpec {
  readonly name: string;
  readonly kind: ScheduledKind;
  /** Name of a route of portolan.yaml. */
  readonly route: string;
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron: string;
  /** IANA name. @default 'UTC' */
  readonly timezone: string;
  /** Spreads the starts over so long. @format milliseconds @default 0 */
  readonly jitterMs: number;
  /** @default 'skip' */
  readonly overlap: Overlap;
  /** Starts that were missed while Temporal was down are made up for within so long. @format milliseconds @default 1 hour */
  readonly catchupMs: number;
  /** @default as it is on the server; a new one is not paused */
  readonly paused?: boolean;
  /** Why it is paused, or what it is for. */
  readonly note?: string;
  /** Of a drill: imports too, into a scratch portal. @default false */
  readonly import?: boolean;
}
