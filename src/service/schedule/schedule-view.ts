import { z } from 'zod';
import { runStatuses } from '../../model/run/phase';

/** Whether the server's schedule is that of the file. */
const standings = [
  'as in portolan.yaml',
  'differs from portolan.yaml',
  'removed from portolan.yaml',
  'not applied',
  'not in portolan.yaml',
] as const;
export type ScheduleStanding = (typeof standings)[number];

const scheduledRun = z.object({
  runId: z.string(),
  dueAt: z.string().optional().describe('absent if triggered by hand'),
  startedAt: z.string(),
  status: z.enum(runStatuses).optional().describe('absent if neither Temporal nor the store has the run'),
});
export type ScheduledRun = z.infer<typeof scheduledRun>;

/** A schedule as Temporal's list tells of it. */
export const scheduleRow = z.object({
  name: z.string(),
  kind: z.string(),
  route: z.string().optional().describe('or the pipeline'),
  cron: z.string(),
  timezone: z.string(),
  jitterMs: z.number(),
  origin: z.enum(['file', 'elsewhere']).describe('where it is defined'),
  standing: z.enum(standings),
  paused: z.boolean(),
  note: z.string().optional(),
  runs: z.array(scheduledRun).readonly().describe('its last runs, newest first; up to ten for one schedule'),
  next: z.array(z.string()).readonly(),
});
export type ScheduleRow = z.infer<typeof scheduleRow>;

/** Everything that is known of a schedule: Temporal tells the rest of one at a time only. */
export const scheduleDetail = scheduleRow.extend({
  overlap: z.string(),
  catchupMs: z.number(),
  skipped: z.number().describe('starts skipped because the previous run was open'),
  missed: z.number().describe('starts missed because Temporal was down for longer than `catchupMs`'),
  lastLeftOut: z.string().optional().describe('when a start was last skipped, as far as the last runs show'),
  waiting: z.number().describe('starts waiting for a run to end'),
  started: z.number(),
});
export type ScheduleDetail = z.infer<typeof scheduleDetail>;

/** A field in which the server and the file differ; absent is not set. */
export interface ScheduleFieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}
