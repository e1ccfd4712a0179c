import { z } from 'zod';
import { SAFEGUARD_STAYS_MS } from '../model/snapshot/retention';
import { settingValue } from '../model/portal-change/setting-schemas';
import { parseTaskRef, TASK_REF_FORM } from '../model/portal-change/task-run';
import { howMany, portalId } from './plain-values';
import { duration } from './units';

const end = { portal: z.string().min(1), group: portalId('group id') };

/** Which snapshots stay; at least one rule. */
const policy = z
  .strictObject({
    last: howMany.optional(),
    hourly: howMany.optional(),
    daily: howMany.optional(),
    weekly: howMany.optional(),
    monthly: howMany.optional(),
    yearly: howMany.optional(),
    within: duration.optional(),
    tags: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine((rules) => Object.values(rules).some((rule) => rule !== undefined), {
    error: 'an empty policy would keep nothing; write at least one rule, such as daily: 14',
  });
export type PolicyFile = z.infer<typeof policy>;

const backup = z
  .strictObject({
    keep: policy.optional(),
    /** How old the last good snapshot may be before that is an alarm. */
    maxAge: duration.optional(),
    tags: z.array(z.string().min(1)).default([]),
    /** How long safeguards stay once their run has ended. */
    safeguards: duration.default(SAFEGUARD_STAYS_MS),
    /** The group into which drills go. */
    drill: z.strictObject(end).optional(),
  })
  .prefault({});

const taskRef = z.string(`write ${TASK_REF_FORM}`).transform((text, context) => {
  const parsed = parseTaskRef(text);
  if (parsed === undefined) context.addIssue({ code: 'custom', message: `write ${TASK_REF_FORM}` });
  return parsed ?? z.NEVER;
});

const banner = z.strictObject({
  text: settingValue.text.trim().min(1, 'has no text'),
  bgColor: settingValue.colour.default('#ffde00'),
  fontColor: settingValue.colour.default('#000000'),
});

/** A route of portolan.yaml. */
export const route = z.strictObject({
  source: z.strictObject(end),
  target: z.strictObject({
    ...end,
    folder: portalId('folder id').optional(),
    folderOwner: z.string().min(1).optional(),
  }),
  overwrite: z.boolean().default(false),
  data: z.enum(['keep', 'replace']).default('keep'),
  approval: z.enum(['none', 'ask', 'required']).default('ask'),
  items: z.array(portalId('item id')).min(1).optional(),
  keepPackages: z.boolean().default(false),
  taskRun: taskRef.optional(),
  banner: banner.optional(),
  jobDeadline: duration.default(6 * 3_600_000),
  answerWithin: duration.default(7 * 86_400_000),
  store: z
    .strictObject({
      keep: z
        .strictObject({ succeeded: duration.default(0), failed: duration.default(7 * 86_400_000) })
        .prefault({}),
    })
    .prefault({}),
  backup,
});
export type RouteFile = z.infer<typeof route>;
