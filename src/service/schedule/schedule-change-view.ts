import { z } from 'zod';
import { overlaps } from '../../model/schedule/schedule';

/** The differences of one schedule between the file and Temporal. */
export const scheduleChange = z.object({
  name: z.string(),
  change: z
    .enum(['create', 'change', 'delete', 'unchanged', 'left'])
    .describe('action; `left`: created by another tool'),
  fields: z
    .array(z.object({ field: z.string(), from: z.string().optional(), to: z.string().optional() }))
    .readonly()
    .describe('fields that differ; absent means not set'),
  keptPause: z.string().optional().describe('why it stays paused, if it was paused by hand'),
  done: z.boolean(),
});

/** Options of an apply. */
export const applyRequest = z.strictObject({
  prune: z.boolean().default(false).describe('also delete those created by another tool'),
  dryRun: z.boolean().default(false).describe('only show the changes'),
  seen: z
    .string()
    .max(64)
    .optional()
    .describe('`seen` of a dry run: nothing is changed if the changes would differ now'),
});
export type ApplyRequest = z.input<typeof applyRequest>;

/** The changes by name, and warnings. */
export const appliedSchedules = z.object({
  changes: z
    .array(
      scheduleChange.extend({
        starts: z.string().optional().describe('what a new schedule starts, and when it is due'),
      }),
    )
    .readonly(),
  warnings: z.array(z.string()).readonly(),
  seen: z.string().describe('identifies these changes'),
  isWorkerUp: z.boolean().optional().describe('absent if not checked or unknown'),
});
export type AppliedSchedules = z.infer<typeof appliedSchedules>;
export type ScheduleChangeRow = AppliedSchedules['changes'][number];

const time = z
  .string()
  .max(40)
  .describe('day or time, in the time zone of the schedule unless it names another');

/** Which times of a schedule are made up for. */
export const backfillRequest = z.strictObject({
  from: time,
  to: time.describe('likewise; a day includes its end'),
  overlap: z.enum(overlaps).optional().describe('what these starts do while a run is open; `buffer-all`'),
  dryRun: z.boolean().default(false).describe('only show the starts'),
});
export type BackfillRequest = z.input<typeof backfillRequest>;

/** What a backfill starts and leaves out. */
export const backfilled = z.object({
  name: z.string(),
  due: z.array(z.string()).readonly().describe('times that had no run yet'),
  there: z.array(z.string()).readonly().describe('IDs of runs that existed already'),
  started: z.boolean(),
});
export type Backfilled = z.infer<typeof backfilled>;
