import { z } from 'zod';
import { overlaps } from '../../model/schedule/schedule';

/** What is different about one schedule of the file and of Temporal. */
export const scheduleChange = z.object({
  name: z.string(),
  change: z
    .enum(['create', 'change', 'delete', 'unchanged', 'left'])
    .describe('what is done with it; `left`: another tool made it'),
  fields: z
    .array(z.object({ field: z.string(), from: z.string().optional(), to: z.string().optional() }))
    .readonly()
    .describe('fields in which the two differ; absent is not set'),
  keptPause: z
    .string()
    .optional()
    .describe('why it is paused, where somebody paused it by hand and it stays so'),
  done: z.boolean(),
});

/** How the schedules of Temporal become those of the file. */
export const applyRequest = z.strictObject({
  prune: z.boolean().default(false).describe('those that another tool made go as well'),
  dryRun: z.boolean().default(false).describe('only says what would change'),
  seen: z
    .string()
    .max(64)
    .optional()
    .describe('`seen` of a dry run: where something else would change by now, nothing does'),
});
export type ApplyRequest = z.input<typeof applyRequest>;

/** What changes, by name, and what somebody should know of it. */
export const appliedSchedules = z.object({
  changes: z
    .array(
      scheduleChange.extend({
        starts: z.string().optional().describe('what a new one starts, and when it is due'),
      }),
    )
    .readonly(),
  warnings: z.array(z.string()).readonly(),
  seen: z.string().describe('stands for what changes'),
  isWorkerUp: z.boolean().optional().describe('absent where that was not asked, or is not known'),
});
export type AppliedSchedules = z.infer<typeof appliedSchedules>;
export type ScheduleChangeRow = AppliedSchedules['changes'][number];

const time = z
  .string()
  .max(40)
  .describe('a day or a time, in the time zone of the schedule unless it says another');

/** Which times of a schedule are made up for. */
export const backfillRequest = z.strictObject({
  from: time,
  to: time.describe('the same; a day is meant to its end'),
  overlap: z.enum(overlaps).optional().describe('what these starts do while a run goes on; `buffer-all`'),
  dryRun: z.boolean().default(false).describe('only says what would be started'),
});
export type BackfillRequest = z.input<typeof backfillRequest>;

/** What a backfill starts and leaves out. */
export const backfilled = z.object({
  name: z.string(),
  due: z.array(z.string()).readonly().describe('times that had no run yet'),
  there: z.array(z.string()).readonly().describe('ids of runs that were there already'),
  started: z.boolean(),
});
export type Backfilled = z.infer<typeof backfilled>;
