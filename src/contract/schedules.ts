import { z } from 'zod';
import { runStatuses } from '../model/run/phase';
import { reasonText } from '../model/run/run';
import { overlaps } from '../model/schedule/schedule';
import { operation } from './operation';

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
const scheduleRow = z.object({
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
const scheduleDetail = scheduleRow.extend({
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
const fieldChange = z.object({ field: z.string(), from: z.string().optional(), to: z.string().optional() });
export type ScheduleFieldChange = Readonly<z.infer<typeof fieldChange>>;

/** The differences of one schedule between the file and Temporal. */
const scheduleChange = z.object({
  name: z.string(),
  change: z
    .enum(['create', 'change', 'delete', 'unchanged', 'left'])
    .describe('action; `left`: created by another tool'),
  fields: z.array(fieldChange).readonly().describe('fields that differ; absent means not set'),
  keptPause: z.string().optional().describe('why it stays paused, if it was paused by hand'),
  done: z.boolean(),
  starts: z.string().optional().describe('what a new schedule starts, and when it is due'),
});
export type ScheduleChangeRow = z.infer<typeof scheduleChange>;

/** The changes by name, and warnings. */
const appliedSchedules = z.object({
  changes: z.array(scheduleChange).readonly(),
  warnings: z.array(z.string()).readonly(),
  seen: z.string().describe('identifies these changes'),
  isWorkerUp: z.boolean().optional().describe('absent if not checked or unknown'),
});
export type AppliedSchedules = z.infer<typeof appliedSchedules>;

/** The outcome of a change: `created  nightly`. */
export const changedWords = ({ name, change }: Pick<ScheduleChangeRow, 'name' | 'change'>): string =>
  `${change === 'create' ? 'created' : change === 'delete' ? 'deleted' : 'changed'}  ${name}`;

const schedule = z.string().min(1).max(200);

/** `portolan schedule` and its subcommands. */
export const scheduleOperations = {
  listSchedules: operation({
    at: 'GET /schedules',
    summary: 'List schedules with their last run and next start',
    input: z.strictObject({}),
    answer: z.array(scheduleRow),
    right: 'view',
    needs: 'temporal',
  }),
  readSchedule: operation({
    at: 'GET /schedules/:schedule',
    summary: 'Show a schedule with its last runs and next five starts',
    input: z.strictObject({ schedule }),
    answer: scheduleDetail,
    right: 'view',
    needs: 'temporal',
  }),
  pauseSchedule: operation({
    at: 'POST /schedules/:schedule/pause',
    summary: 'Pause a schedule until it is resumed',
    input: z.strictObject({ schedule, reason: reasonText }),
    answer: z.object({ name: z.string(), paused: z.literal(true), note: z.string() }),
    right: 'operate',
    needs: 'temporal',
  }),
  resumeSchedule: operation({
    at: 'POST /schedules/:schedule/resume',
    summary: 'Resume a paused schedule',
    input: z.strictObject({ schedule }),
    answer: z.object({
      name: z.string(),
      paused: z.literal(false),
      next: z.string().optional().describe('next start, ISO 8601'),
    }),
    right: 'operate',
    needs: 'temporal',
  }),
  triggerSchedule: operation({
    at: 'POST /schedules/:schedule/trigger',
    summary: 'Start a run of a schedule now',
    description:
      'Takes no Idempotency-Key. A repeated request is refused while that run is open, unless `overlap` allows it.',
    input: z.strictObject({
      schedule,
      overlap: z.enum(overlaps).optional().describe('what to do if a run of the schedule is still open'),
    }),
    answer: z.object({
      name: z.string(),
      runId: z.string().optional().describe('absent if it starts after another run ends'),
    }),
    status: 202,
    right: 'start',
    needs: 'temporal',
  }),
  applySchedules: operation({
    at: 'POST /schedules/apply',
    summary: "Apply the schedules in the server's portolan.yaml to Temporal",
    input: z.strictObject({
      prune: z.boolean().default(false).describe('also delete those created by another tool'),
      dryRun: z.boolean().default(false).describe('only show the changes'),
      seen: z
        .string()
        .max(64)
        .optional()
        .describe('`seen` of a dry run: nothing is changed if the changes would differ now'),
    }),
    answer: appliedSchedules,
    // A dry run only needs the right to view.
    right: 'view',
    needs: 'temporal',
    says: ({ changes }: AppliedSchedules) => changes.filter(({ done }) => done).map(changedWords),
  }),
};
