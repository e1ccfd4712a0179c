import type { RunStatus } from '../../model/run/phase';
import type { ScheduleSpec } from '../../model/schedule/schedule';

/** Whether the server's schedule is that of the file. */
export type ScheduleStanding =
  'as in the file' | 'differs from the file' | 'gone from the file' | 'not applied' | 'not in the file';

/** A schedule as people and programs see it. */
export interface ScheduleRow {
  readonly name: string;
  readonly kind: string;
  /** Or the pipeline. */
  readonly route?: string;
  readonly cron: string;
  readonly timezone: string;
  /** @format milliseconds */
  readonly jitterMs: number;
  readonly overlap: string;
  /** @format milliseconds */
  readonly catchupMs: number;
  /** Where it is written down. */
  readonly origin: 'file' | 'elsewhere';
  readonly standing: ScheduleStanding;
  readonly paused: boolean;
  readonly note?: string;
  /** What it started, the last first; ten at most. */
  readonly runs: readonly ScheduledRun[];
  /** Starts that were left out since the run before still went on. */
  readonly skipped: number;
  /** Starts that were left out since Temporal was down for longer than `catchupMs`. */
  readonly missed: number;
  /** When a start was left out last, as far as the last runs tell. */
  readonly lastLeftOut?: string;
  /** Starts that wait for the end of a run. */
  readonly waiting: number;
  readonly started: number;
  readonly next: readonly string[];
}

export interface ScheduledRun {
  readonly runId: string;
  /** Absent for one that somebody triggered. */
  readonly dueAt?: string;
  readonly startedAt: string;
  /** Absent where neither Temporal nor the store remembers it. */
  readonly status?: RunStatus;
}

/** A field in which the server and the file differ; absent is not set. */
export interface ScheduleFieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** What is different about one schedule. */
export interface ScheduleChangeView {
  readonly name: string;
  /** What `apply` does with it; `left`: another tool made it. */
  readonly change: 'create' | 'change' | 'delete' | 'unchanged' | 'left';
  readonly fields: readonly ScheduleFieldChange[];
  /** Why it is paused, where somebody paused it by hand and it stays so. */
  readonly keptPause?: string;
  /** What the file asks for; a spec is absent for the one that watches the age of snapshots. */
  readonly desired?: { readonly spec?: ScheduleSpec };
}
