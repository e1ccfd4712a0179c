import { z } from 'zod';

/** Where a schedule is written down. `apply` makes those of the file match it, and leaves the others alone. */
export const scheduleOrigins = ['file', 'command line'] as const;
export type ScheduleOrigin = (typeof scheduleOrigins)[number];

/** Under this key of what it starts, a schedule says what it was made from. */
export const scheduleMemoKey = 'portolanSchedule';

/** What Temporal does not keep of a schedule, and what tells a pause by hand from one of the file. */
export const scheduleMemo = z.object({
  origin: z.enum(scheduleOrigins),
  paused: z.boolean().optional(),
  note: z.string().optional(),
});
export type ScheduleMemo = z.infer<typeof scheduleMemo>;

export function readScheduleMemo(memo: Record<string, unknown> | undefined): ScheduleMemo | undefined {
  const parsed = scheduleMemo.safeParse(memo?.[scheduleMemoKey]);
  return parsed.success ? parsed.data : undefined;
}
