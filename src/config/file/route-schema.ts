import { z } from 'zod';
import { settingValue } from '../../model/portal-change/portal-settings';
import { parseTaskRef, TASK_REF_FORM } from '../../model/portal-change/task-run';
import { portalId } from '../../model/portal-id';
import { duration, howMany, interval } from './plain-values';

const portalName = z.string().min(1).meta({ form: 'portal' });

/** Rules for keeping snapshots; at least one. */
const policy = z
  .strictObject({
    last: howMany.optional().meta({
      unset: 'keep all',
      description: '[snapshots to keep](../guide/backups.md): the last N; periods below are UTC',
    }),
    hourly: howMany.optional().describe('last N hourly'),
    daily: howMany.optional().describe('last N daily'),
    weekly: howMany.optional().describe('last N weekly, from Monday'),
    monthly: howMany.optional().describe('last N monthly'),
    yearly: howMany.optional().describe('last N yearly'),
    within: duration.optional().describe('all within this time of the newest'),
    tags: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .meta({ form: 'texts', description: 'all with one of these tags' }),
  })
  .refine((rules) => Object.values(rules).some((rule) => rule !== undefined), {
    error: 'would keep nothing; write at least one rule, such as daily: 14',
  })
  .transform(({ within, ...rules }) => ({ ...rules, withinMs: within }));

const backupKeys = {
  keep: policy.optional(),
  full: interval.optional().meta({
    unset: 'every backup',
    description: 'how often to export [everything](../guide/backups.md), not only changes',
  }),
  maxAge: duration.optional().meta({
    unset: 'not watched',
    description: 'age at which the last good snapshot is overdue',
  }),
};

const withTimes = <Rest extends object>({
  full,
  maxAge,
  ...rest
}: Rest & { full?: number; maxAge?: number }) => {
  const times: { fullEveryMs?: number; maxAgeMs?: number } = { fullEveryMs: full, maxAgeMs: maxAge };
  return { ...rest, ...times };
};

/** How the groups of a rule are backed up. */
export const ruleBackup = z.strictObject(backupKeys).transform(withTimes);

const backup = z
  .strictObject({
    ...backupKeys,
    tags: z
      .array(z.string().min(1))
      .default([])
      .meta({ form: 'texts', description: 'tags for every snapshot' }),
    drill: z
      .strictObject({
        portal: portalName.describe('portal for drills'),
        group: portalId('group id').describe('group for drills'),
      })
      .optional(),
  })
  .transform(withTimes);

const taskRef = z.string(`write ${TASK_REF_FORM}`).transform((text, context) => {
  const parsed = parseTaskRef(text);
  if (parsed === undefined) context.addIssue({ code: 'custom', message: `write ${TASK_REF_FORM}` });
  return parsed ?? z.NEVER;
});

const banner = z.strictObject({
  text: settingValue.text.trim().min(1, 'has no text').meta({
    unset: 'no banner',
    description: '[shown on the target](../guide/notifications.md) during imports',
  }),
  bgColor: settingValue.color
    .default('#ffde00')
    .meta({ form: 'color', description: 'CSS name, or #RRGGBB in quotes' }),
  fontColor: settingValue.color
    .default('#000000')
    .meta({ form: 'color', description: 'likewise, for the text' }),
});

/** Items a sync excludes; at least one rule. */
const exclude = z
  .strictObject({
    items: z.array(portalId('item id')).min(1).optional().meta({
      form: 'item IDs',
      unset: 'none',
      description: '[excluded](../guide/first-sync.md) from syncs, never from backups',
    }),
    types: z
      .array(z.string().trim().min(1))
      .min(1)
      .optional()
      .meta({ form: 'item types', unset: 'none', description: 'exclude these types' }),
    tags: z
      .array(z.string().trim().min(1))
      .min(1)
      .optional()
      .meta({ form: 'texts', unset: 'none', description: 'exclude items with one of these tags' }),
  })
  .refine((given) => Object.values(given).some((each) => each !== undefined), {
    error: 'excludes nothing; write items, types or tags',
  });

/** A route of portolan.yaml. */
export const route = z
  .strictObject({
    source: z.strictObject({
      portal: portalName.describe('source portal'),
      group: portalId('group id').describe('source group'),
    }),
    target: z.strictObject({
      portal: portalName.describe('target portal'),
      group: portalId('group id').describe('target group, which must exist'),
      folder: portalId('folder id').optional().meta({
        unset: "portal's choice",
        description: 'folder for new items (portals from 10.9)',
      }),
      folderOwner: z.string().min(1).optional().meta({
        form: 'user name',
        unset: 'sync account',
        description: 'owner of the folder',
      }),
    }),
    overwrite: z.boolean().default(false).describe('overwrite existing items of the target group'),
    data: z
      .enum(['keep', 'replace'])
      .default('keep')
      .describe('with `overwrite`: data of existing hosted layers'),
    approval: z
      .enum(['none', 'ask', 'required'])
      .default('ask')
      .describe('[plan approval](../guide/access.md)'),
    items: z
      .array(portalId('item id'))
      .min(1)
      .optional()
      .meta({ form: 'item IDs', unset: 'whole group', description: 'only these items' }),
    exclude: exclude.optional(),
    take: z.array(portalId('item id')).default([]).meta({
      form: 'item IDs',
      unset: 'none',
      description: 'import these items even if blocked',
    }),
    full: interval.optional().meta({
      unset: 'only if changes are unknown',
      description: 'how often to transfer [unchanged items](../guide/first-sync.md) too',
    }),
    keepPackages: z.boolean().default(false).describe('leave the package items on both portals'),
    jobDeadline: duration.prefault('6h').describe('time limit of a portal job'),
    decisionTimeout: duration
      .prefault('7d')
      .describe('how long a run waits for approval, or while [parked](../guide/troubleshooting.md)'),
    taskRun: taskRef.optional().meta({
      form: 'PORTAL/USER/TASK',
      unset: 'none',
      description:
        '[portal task](../guide/notifications.md) that syncs and backups update; append `/TASK-RUN` for one task run',
    }),
    banner: banner.optional(),
    backup: backup.prefault({}),
  })
  .transform(
    ({ source, target, taskRun, backup: ofBackups, full, jobDeadline, decisionTimeout, ...options }) => {
      const interval: { fullEveryMs?: number } = { fullEveryMs: full };
      const times = { ...interval, jobDeadlineMs: jobDeadline, decisionTimeoutMs: decisionTimeout };
      return { source, target, taskRun, backup: ofBackups, options: { ...options, ...times } };
    },
  );
