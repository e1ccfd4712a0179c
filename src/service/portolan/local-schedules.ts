import type { WriteContext, ReadContext } from '../run/run-sources';
import { pauseSchedule, resumeSchedule } from '../schedule/pause-schedule';
import { readDetail, scheduleRows } from '../schedule/schedule-rows';
import { findSchedule, type ServerSchedule } from '../schedule/server-schedules';
import { triggerSchedule } from '../schedule/trigger-schedule';
import type { PortolanSchedules } from './schedules';

/** Temporal returns the last ten runs. */
const ALL_RUNS = 10;

/** Schedules of a configuration. @param acting throws where Temporal is out of reach */
export const localSchedules = (acting: () => WriteContext): PortolanSchedules => ({
  list: async () => await scheduleRows(acting(), { runs: 1 }),
  show: async (name) => await readSchedule(acting(), name),
  async pause(name, reason) {
    const sources = acting();
    return await pauseSchedule(sources, await found(sources, name), reason);
  },
  async resume(name) {
    const sources = acting();
    return await resumeSchedule(sources, await found(sources, name));
  },
  async trigger(name, overlap) {
    const sources = acting();
    return await triggerSchedule(sources, await found(sources, name), overlap);
  },
  async apply(request, onDone) {
    const { applySchedules } = await import('../schedule/apply-schedules.js');
    return await applySchedules(acting(), request, onDone);
  },
  async backfill(name, request) {
    const { backfill } = await import('../schedule/backfill-schedule.js');
    const sources = acting();
    return await backfill(sources, await found(sources, name), request);
  },
});

/** A schedule with its last runs. Throws `SCHEDULE_NOT_FOUND`. */
export const readSchedule = async (sources: Required<ReadContext>, name: string) =>
  await readDetail(sources, await found(sources, name), ALL_RUNS);

/** Throws `SCHEDULE_NOT_FOUND`. */
const found = ({ temporal, config }: Required<ReadContext>, name: string): Promise<ServerSchedule> =>
  findSchedule(temporal, config, name);
