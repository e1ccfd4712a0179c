import ms from 'ms';
import { z } from 'zod';
import { leastForWrites, type Window } from '../../model/run/policy';
import { withoutTrailingSlashes } from '../../model/identity';
import { RESPONSE_TIMEOUT_MS } from '../../portal/http/limits';
import { portalId } from '../../model/portal-id';
import { cron, duration, howMany, secret, timezone, usableUrl } from './plain-values';
import { protect } from './protect-schema';
import { portalUrlProblem } from '../url-problem';

const auth = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('password').describe('how to sign in'),
      username: z.string().min(1).describe('with `password`'),
      password: secret.describe('with `password`'),
    }),
    z.strictObject({
      type: z.literal('token'),
      token: secret.describe('with `token`: bound to no referer or to `url`'),
    }),
    z.strictObject({ type: z.literal('apiKey'), apiKey: secret.describe('with `apiKey`') }),
    z.strictObject({
      type: z.literal('clientCredentials'),
      clientId: z.string().min(1).describe('with `clientCredentials`: for reads and `doctor` only'),
      clientSecret: secret.describe('with `clientCredentials`'),
    }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'write password, token, apiKey or clientCredentials' : undefined,
  },
);

const portalUrl = z.string().superRefine((text, context) => {
  const problem = portalUrlProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const concurrency = z.strictObject({
  exports: howMany.default(1).describe('exports at a time; other runs queue'),
  imports: howMany.default(1).describe('imports at a time'),
});

const OPEN_MIN_MS = ms('1m');
/** For longer times, use `deny`. */
const OPEN_MAX_MS = ms('31d');

const day = z
  .string('write a day as 2026-12-18')
  .refine((text) => isDay(text), 'is not a day; write it as 2026-12-18')
  .meta({ form: 'day' });

const allow = z.strictObject({
  cron: cron.describe('when a window for [starting imports](../guide/access.md) opens'),
  for: duration
    .refine((given) => given >= OPEN_MIN_MS && given <= OPEN_MAX_MS, 'is from 1m to 31d')
    .describe('how long it stays open (1m to 31d), in elapsed time'),
  timezone: timezone.describe('time zone of `cron`'),
});

const deny = z.strictObject({
  from: day.describe('first day on which no import starts'),
  to: day.describe('last such day'),
  timezone: timezone.describe('time zone of these days'),
  reason: z.string().min(1).optional().describe('reason, shown in waiting runs'),
});

/** The cross-checks require either `allow` or `deny`. */
const window = z
  .strictObject({ allow: allow.optional(), deny: deny.optional() })
  .transform(({ allow: opens, deny: closes }): Window => {
    if (closes) return { kind: 'deny', ...closes };
    return opens ? { kind: 'allow', cron: opens.cron, forMs: opens.for, timezone: opens.timezone } : z.NEVER;
  });

/** Whether the calendar has it. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
}

const policy = z.strictObject({
  writes: z
    .enum(leastForWrites, 'write free, ask, required or never')
    .default('free')
    .describe('minimum approval for writes: `free` leaves it to routes, `never` refuses writes'),
  approvers: z
    .strictObject({
      users: z.array(z.string().min(1)).default([]).meta({
        form: 'names',
        unset: 'none',
        description: 'who can approve: `serve` key names, signed-in `user` or `user@portal`; default: anyone',
      }),
      group: portalId('group id')
        .optional()
        .meta({ unset: 'none', description: 'or members of this portal group' }),
    })
    .refine(({ users, group }) => users.length > 0 || group !== undefined, 'name users, or a group')
    .optional()
    .meta({
      unset: 'anyone',
      description: 'who can approve, with a `serve` key or signed in there',
    }),
  twoPeople: z.boolean().default(false).describe('the starter cannot approve the run'),
  adhoc: z.boolean().default(true).describe('allow writes not covered by a route of the worker'),
  windows: z.array(window).default([]),
});

/** A portal of portolan.yaml. */
export const portal = z
  .strictObject({
    url: portalUrl.transform(withoutTrailingSlashes).meta({
      form: 'URL',
      description: 'ends in `/sharing/rest`; must be the same for starter and worker',
    }),
    auth,
    ca: z
      .string()
      .min(1)
      .optional()
      .meta({ form: 'file', description: 'CA certificate of the portal (PEM)' }),
    proxy: usableUrl({ form: 'http://HOST:PORT' }).optional().describe('http proxy to the portal'),
    aliases: z.array(z.string().min(1).transform(withoutTrailingSlashes)).prefault([]).meta({
      form: 'URLs',
      description: 'other URLs of the portal; verification looks for them',
    }),
    insecure: z.boolean().default(false).describe('allow plain http to other machines'),
    timeout: duration
      .refine((given) => given >= 1_000 && given <= 240_000, 'is from 1s to 4m')
      .prefault(ms(RESPONSE_TIMEOUT_MS))
      .describe('time to the start of a response (1s to 4m), five times that after an upload'),
    concurrency: concurrency.prefault({}).meta({ effect: 'next run' }),
    role: z.literal('scratch', 'write scratch, or leave it out').optional().meta({
      unset: 'in use',
      description: 'drills can [import into it](../guide/backups.md)',
    }),
    policy: policy.prefault({}),
    protect,
  })
  .transform(({ timeout, ...rest }) => ({ ...rest, responseTimeoutMs: timeout }));
