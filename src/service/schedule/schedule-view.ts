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
  dueAt: z.string().optional().describe('absent for one that somebody triggered'),
  startedAt: z.string(),
  status: z.enum(runStatuses).optional().describe('absent where neither Temporal nor the store remembers it'),
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
  origin: z.enum(['file', 'elsewhere']).describe('where it is written down'),
  standing: z.enum(standings),
  paused: z.boolean(),
  note: z.string().optional(),
  runs: z
    .array(scheduledRun)
    .readonly()
    .describe('what it started last; of one schedule up to ten, the last first'),
  next: z.array(z.string()).readonly(),
});
export type ScheduleRow = z.infer<typeof scheduleRow>;

/** Everything that is known of a schedule: Temporal tells the rest of one at a time only. */
export const scheduleDetail = scheduleRow.extend({
  overlap: z.string(),
  catchupMs: z.number(),
  skipped: z.number().describe('starts that were left out since the run before still went on'),
  missed: z
    .number()
    .describe('starts that were left out since Temporal was down for longer than `catchupMs`'),
  lastLeftOut: z.string().optional().describe('when a start was left out last, as far as the last runs tell'),
  waiting: z.number().describe('starts that wait for the end of a run'),
  started: z.number(),
});
export type ScheduleDetail = z.infer<typeof scheduleDetail>;

/** A field in which the server and the file differ; absent is not set. */
export interface ScheduleFieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}
