import ms from 'ms';
import { z } from 'zod';
import { leastForWrites } from '../../model/run/policy';
import { withoutTrailingSlashes } from '../../model/text/trailing-slashes';
import { RESPONSE_TIMEOUT_MS } from '../../portal/http/limits';
import { duration, howMany, portalId, secret } from './plain-values';
import { portalUrlProblem } from '../portal-url';
import { windows } from './window-schema';

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
export type AuthFile = z.infer<typeof auth>;

const proxy = z.string().superRefine((text, context) => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    context.addIssue({ code: 'custom', message: 'is not a URL; write it as http://HOST:PORT' });
  } else if (new URL(text).password !== '') {
    context.addIssue({ code: 'custom', message: 'must not hold a password' });
  }
});

const portalUrl = z.string().transform((text, context) => {
  const problem = portalUrlProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  return withoutTrailingSlashes(text);
});

const concurrency = z.strictObject({
  exports: howMany.default(1).describe('exports at a time; other runs queue'),
  imports: howMany.default(1).describe('imports at a time'),
});

const policy = z.strictObject({
  writes: z
    .enum(leastForWrites, 'write free, ask, required or never')
    .default('free')
    .describe('minimum approval for writes: `free` leaves it to routes, `never` refuses writes'),
  approvers: z
    .strictObject({
      users: z.array(z.string().min(1)).optional().meta({
        form: 'names',
        unset: 'none',
        description: 'who can approve: `serve` key names, signed-in `user` or `user@portal`; default: anyone',
      }),
      group: portalId('group id')
        .optional()
        .meta({ unset: 'none', description: 'or members of this portal group' }),
    })
    .refine(({ users = [], group }) => users.length > 0 || group !== undefined, 'name users, or a group')
    .transform(({ users = [], group }) => ({ users, group }))
    .optional()
    .meta({
      unset: 'anyone',
      description: 'who can approve, with a `serve` key or signed in there',
    }),
  twoPeople: z.boolean().default(false).describe('the starter cannot approve the run'),
  adhoc: z.boolean().default(true).describe('allow writes not covered by a route of the worker'),
  windows,
});

/** A portal of portolan.yaml. */
export const portal = z.strictObject({
  url: portalUrl.meta({
    form: 'URL',
    description: 'ends in `/sharing/rest`; must be the same for starter and worker',
  }),
  auth,
  ca: z.string().min(1).optional().meta({ form: 'file', description: 'CA certificate of the portal (PEM)' }),
  proxy: proxy.optional().meta({ form: 'URL', description: 'http proxy to the portal' }),
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
});
export type PortalFile = z.infer<typeof portal>;
