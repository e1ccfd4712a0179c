import { z } from 'zod';
import type { PortolanSchedules } from '../service/portolan/schedules';
import { paused, unpaused } from '../service/schedule/pause-schedule';
import { appliedSchedules } from '../service/schedule/schedule-change-view';
import { scheduleDetail, scheduleRow } from '../service/schedule/schedule-view';
import { type Api, part } from './api';

/** Schedules of the configuration of a server. */
export const httpSchedules = (api: Api): PortolanSchedules => ({
  list: () => api.get('/schedules', z.array(scheduleRow)),
  show: (name) => api.get(`/schedules/${part(name)}`, scheduleDetail),
  pause: (name, reason) => api.post(`/schedules/${part(name)}/pause`, paused, { reason }),
  resume: (name) => api.post(`/schedules/${part(name)}/resume`, unpaused, {}),
  async trigger(name, overlap) {
    const schema = z.object({ runId: z.string().optional() });
    return (await api.post(`/schedules/${part(name)}/trigger`, schema, { overlap })).runId;
  },
  async apply(request, onDone) {
    const applied = await api.post('/schedules/apply', appliedSchedules, request);
    for (const change of applied.changes) if (change.done) onDone?.(change);
    return applied;
  },
});
