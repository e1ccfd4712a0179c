import type { ScheduleSpec } from '../model/schedule/schedule';
import type { ScheduleFile } from './schema';

/** A schedule as portolan.yaml has it, with what it leaves out. */
export function compileSchedule(name: string, given: ScheduleFile): ScheduleSpec {
  const { kind, route, cron, timezone, overlap, paused, note } = given;
  return {
    name,
    kind,
    route,
    cron,
    timezone,
    jitterMs: given.jitter,
    overlap,
    catchupMs: given.catchup,
    paused,
    note,
    import: given.import,
  };
}
