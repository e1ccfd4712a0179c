import { z } from 'zod';
import { overlaps, scheduledKinds } from '../../model/schedule/schedule';
import { cron, timezone } from './plain-values';

/** The cross-checks hold its values against the rest of the file. */
export const schedule = z
  .strictObject({
    kind: z.enum(scheduledKinds).default('backup').describe('kind of run to start'),
    route: z.string().min(1).optional().meta({
      form: 'route',
      description: 'route, copied into the schedule when applied',
    }),
    pipeline: z.string().min(1).optional().meta({
      form: 'pipeline',
      description: 'for `release` and `promote`, instead of a route',
    }),
    stage: z.string().min(1).optional().meta({ form: 'stage', description: 'for `promote`: target stage' }),
    reason: z.string().min(1).optional().describe('for `release` and `promote`'),
    cron: cron.describe(
      'minute, hour, day of month, month, day of week; if both day fields are set, both must match (unlike cron)',
    ),
    timezone: timezone.describe('time zone of `cron`'),
    overlap: z.enum(overlaps).default('skip').describe('if a run is still open'),
    paused: z.boolean().optional().meta({
      unset: 'unchanged',
      description: 'start nothing; `false` also ends a manual pause',
    }),
    import: z.boolean().optional().describe('for `drill`: also import, into a scratch portal'),
  })
  .transform(({ kind, route = '', pipeline = '', stage = '', reason, import: imports, ...times }) => {
    switch (kind) {
      case 'release':
        return { ...times, kind, pipeline, reason };
      case 'promote':
        return { ...times, kind, pipeline, stage, reason };
      default:
        return { ...times, kind, route, import: imports };
    }
  });
