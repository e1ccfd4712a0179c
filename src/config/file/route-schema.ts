import ms from 'ms';
import { z } from 'zod';
import { SAFEGUARD_STAYS_MS } from '../../model/snapshot/retention';
import { settingValue } from '../../model/portal-change/setting-schemas';
import { parseTaskRef, TASK_REF_FORM } from '../../model/portal-change/task-run';
import { duration, howMany, interval, portalId } from './plain-values';

const portalName = z.string().min(1).meta({ form: 'name of a portal' });

/** Which snapshots stay; at least one rule. */
const policy = z
  .strictObject({
    last: howMany.optional().meta({
      unset: 'all backups stay',
      description: '[what stays](../guide/backups.md#retention) of its snapshots: the newest so many',
    }),
    hourly: howMany.optional().describe('the newest of each of so many hours; so for the next four, in UTC'),
    daily: howMany.optional().describe('days'),
    weekly: howMany.optional().describe('weeks that begin on Monday'),
    monthly: howMany.optional().describe('months'),
    yearly: howMany.optional().describe('years'),
    within: duration.optional().describe('all of so long before the newest'),
    tags: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .meta({ form: 'list of words', description: 'all with one of these tags' }),
  })
  .refine((rules) => Object.values(rules).some((rule) => rule !== undefined), {
    error: 'would keep nothing; write at least one rule, such as daily: 14',
  });
export type PolicyFile = z.infer<typeof policy>;

const backup = z
  .strictObject({
    keep: policy.optional(),
    full: interval.optional().meta({
      unset: 'each backup',
      description:
        'how often a backup exports [everything](../guide/backups.md#incremental-backups); those between only what has changed since the last one',
    }),
    maxAge: duration.optional().meta({
      unset: 'not watched',
      description: 'how old the last good snapshot may be until it is overdue',
    }),
    tags: z
      .array(z.string().min(1))
      .default([])
      .meta({ form: 'list of words', description: 'what each snapshot of the route carries' }),
    safeguards: duration
      .prefault(ms(SAFEGUARD_STAYS_MS))
      .describe('how long safeguards stay once their run has ended'),
    drill: z
      .strictObject({
        portal: portalName.describe('where drills of its snapshots go'),
        group: portalId('group id').describe('its group'),
      })
      .optional(),
  })
  .prefault({});

const taskRef = z.string(`write ${TASK_REF_FORM}`).transform((text, context) => {
  const parsed = parseTaskRef(text);
  if (parsed === undefined) context.addIssue({ code: 'custom', message: `write ${TASK_REF_FORM}` });
  return parsed ?? z.NEVER;
});

const banner = z.strictObject({
  text: settingValue.text.trim().min(1, 'has no text').meta({
    unset: 'no banner',
    description: '[shown on the target](../guide/notifications.md#banner-during-imports) while a run imports',
  }),
  bgColor: settingValue.colour
    .default('#ffde00')
    .meta({ form: 'colour', description: 'name, or #RRGGBB in quotes' }),
  fontColor: settingValue.colour.default('#000000').meta({ form: 'colour', description: 'the same' }),
});

/** What a sync leaves out; at least one thing. */
const exclude = z
  .strictObject({
    items: z.array(portalId('item id')).min(1).optional().meta({
      form: 'list of item ids',
      unset: 'none',
      description: '[left out](../guide/first-sync.md#choose-items) of a sync; backups hold them',
    }),
    types: z
      .array(z.string().trim().min(1))
      .min(1)
      .optional()
      .meta({ form: 'list of item types', unset: 'none', description: 'all of these types' }),
    tags: z
      .array(z.string().trim().min(1))
      .min(1)
      .optional()
      .meta({ form: 'list of words', unset: 'none', description: 'all with one of these tags' }),
  })
  .refine((given) => Object.values(given).some((each) => each !== undefined), {
    error: 'excludes nothing; write items, types or tags',
  });

const keep = z.strictObject({
  succeeded: duration
    .prefault('0d')
    .describe('how long the package of a run that succeeded stays in the store'),
  failed: duration.prefault('7d').describe('the same for one that did not, or only in part'),
});

/** A route of portolan.yaml. */
export const route = z.strictObject({
  source: z.strictObject({
    portal: portalName.describe('where the content comes from'),
    group: portalId('group id').describe('its group'),
  }),
  target: z.strictObject({
    portal: portalName.describe('where the content goes'),
    group: portalId('group id').describe('its group, which must exist'),
    folder: portalId('folder id').optional().meta({
      unset: "the portal's choice",
      description: 'where new items lie (portals from 10.9 on)',
    }),
    folderOwner: z.string().min(1).optional().meta({
      form: 'user name',
      unset: 'the account',
      description: 'whose folder that is (portals from 10.9 on)',
    }),
  }),
  overwrite: z.boolean().default(false).describe('overwrites what exists in the target group'),
  data: z
    .enum(['keep', 'replace'])
    .default('keep')
    .describe('with `overwrite`: what becomes of the data of hosted layers that exist'),
  approval: z.enum(['none', 'ask', 'required']).default('ask').describe('who says yes to the plan'),
  items: z
    .array(portalId('item id'))
    .min(1)
    .optional()
    .meta({ form: 'list of item ids', unset: 'all of the group', description: 'only these' }),
  exclude: exclude.optional(),
  take: z.array(portalId('item id')).default([]).meta({
    form: 'list of item ids',
    unset: 'none',
    description: 'items that are taken although they are blocked, as by `--take`',
  }),
  full: interval.optional().meta({
    unset: 'where a sync cannot know what has changed',
    description:
      'how often a sync brings [everything](../guide/first-sync.md#later-syncs), also what nobody has touched since',
  }),
  keepPackages: z.boolean().default(false).describe('leaves the package items on both portals'),
  jobDeadline: duration
    .prefault('6h')
    .describe("how long a portal's job may take until the run gives up on it"),
  decisionTimeout: duration
    .prefault('7d')
    .describe(
      'how long a run waits for a person, be it for an approval or [parked](../guide/troubleshooting.md#a-run-is-parked)',
    ),
  taskRun: taskRef.optional().meta({
    form: 'PORTAL/USER/TASK',
    unset: 'not bound',
    description:
      '[a task of a portal](../guide/notifications.md#portal-tasks) that says how its syncs and backups go; `/RUN` behind it names a run of it',
  }),
  banner: banner.optional(),
  store: z.strictObject({ keep: keep.prefault({}) }).prefault({}),
  backup,
});
export type RouteFile = z.infer<typeof route>;
