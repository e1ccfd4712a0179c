import { z } from 'zod';

/** What is different about one schedule of the file and of Temporal. */
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

/** How the schedules of Temporal become those of the file. */
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

/** What changes, by name, and what somebody should know of it. */
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
