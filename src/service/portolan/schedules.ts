import type { Overlap } from '../../model/schedule/schedule';
import type { Paused, Unpaused } from '../schedule/pause-schedule';
import type { AppliedSchedules, ApplyRequest, ScheduleChangeRow } from '../schedule/schedule-change-view';
import type { ScheduleDetail, ScheduleRow } from '../schedule/schedule-view';

/** What is started by the clock. */
export interface PortolanSchedules {
  list(): Promise<readonly ScheduleRow[]>;
  /** With its last runs. Throws `SCHEDULE_NOT_FOUND`, as all that take a name. */
  show(name: string): Promise<ScheduleDetail>;
  pause(name: string, reason: string): Promise<Paused>;
  resume(name: string): Promise<Unpaused>;
  /** The id of the run that it started; undefined where that starts later. */
  trigger(name: string, overlap?: Overlap): Promise<string | undefined>;
  /** The schedules of Temporal become those of the configuration. @param onDone is told of each that was changed */
  apply(request: ApplyRequest, onDone?: (change: ScheduleChangeRow) => void): Promise<AppliedSchedules>;
}
