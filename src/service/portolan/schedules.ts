import type { Overlap } from '../../model/schedule/schedule';
import type { Paused, Unpaused } from '../schedule/pause-schedule';
import type {
  AppliedSchedules,
  ApplyRequest,
  Backfilled,
  BackfillRequest,
  ScheduleChangeRow,
} from '../schedule/schedule-change-view';
import type { ScheduleDetail, ScheduleRow } from '../schedule/schedule-view';

/** Operations on schedules. */
export interface PortolanSchedules {
  list(): Promise<readonly ScheduleRow[]>;
  /** A schedule with its last runs. Throws `SCHEDULE_NOT_FOUND`, as do all that take a name. */
  show(name: string): Promise<ScheduleDetail>;
  pause(name: string, reason: string): Promise<Paused>;
  resume(name: string): Promise<Unpaused>;
  /** ID of the started run; undefined if it starts later. */
  trigger(name: string, overlap?: Overlap): Promise<string | undefined>;
  /** Applies the schedules of the configuration to Temporal. @param onDone is told of each that was changed */
  apply(request: ApplyRequest, onDone?: (change: ScheduleChangeRow) => void): Promise<AppliedSchedules>;
  /** Starts what it has not started when it was due. */
  backfill(name: string, request: BackfillRequest): Promise<Backfilled>;
}
