import { z } from 'zod';
import { portalId } from '../../model/portal-id';
import { cron, howMany, named, ruleName, timezone } from './plain-values';
import { ruleBackup } from './route-schema';

const rule = z.strictObject({
  groups: z.string().trim().min(1, 'write a group search, or all').max(4_000).meta({
    form: 'search or `all`',
    description:
      "[groups to back up](../guide/protect.md): the portal's group search, such as `tags:official`",
  }),
  exclude: z
    .array(portalId('group id'))
    .default([])
    .meta({ form: 'group IDs', unset: 'none', description: 'groups to leave out' }),
  schedule: z
    .strictObject({
      cron: cron.describe('as for schedules'),
      timezone: timezone.describe('time zone of `cron`'),
    })
    .optional()
    .meta({ effect: 'schedule apply' }),
  backup: ruleBackup.prefault({}),
  concurrency: howMany.default(4).describe("groups at a time; the portal's own limits still apply"),
});

/** Rules of a portal that back up every group that matches. */
export const protect = named(rule, ruleName).prefault({}).meta({ effect: 'next run' });
