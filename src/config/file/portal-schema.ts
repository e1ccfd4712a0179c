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
      token: secret.describe("with `token`: a ready one, bound to no referer or to the portal's `url`"),
    }),
    z.strictObject({ type: z.literal('apiKey'), apiKey: secret.describe('with `apiKey`') }),
    z.strictObject({
      type: z.literal('clientCredentials'),
      clientId: z
        .string()
        .min(1)
        .describe('with `clientCredentials`: reads and `doctor` only, since they have no user'),
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
  exports: howMany
    .default(1)
    .describe(
      'exports that the portal is given at a time, over all routes; runs beyond that stand in a queue',
    ),
  imports: howMany.default(1).describe('the same for imports'),
});

const policy = z.strictObject({
  writes: z
    .enum(leastForWrites, 'write free, ask, required or never')
    .default('free')
    .describe(
      'the least that a write needs: `free` leaves it to routes; `ask` and `required` are those of `approval`; `never` refuses all',
    ),
  approvers: z
    .strictObject({
      users: z.array(z.string().min(1)).optional().meta({
        unset: 'none',
        description: 'names of keys of `serve`; `user` or `user@portal` of those who sign in there',
      }),
      group: portalId('group id')
        .optional()
        .meta({ unset: 'none', description: 'group of this portal, each member of which may' }),
    })
    .refine(({ users = [], group }) => users.length > 0 || group !== undefined, 'name users, or a group')
    .transform(({ users = [], group }) => ({ users, group }))
    .optional()
    .meta({
      unset: 'anybody',
      description: 'who may approve, by a proof: a key of `serve`, or signed in there',
    }),
  twoPeople: z.boolean().default(false).describe('whoever started a run cannot approve it'),
  adhoc: z
    .boolean()
    .default(true)
    .describe(
      'whether runs may write, too, that no route of the worker names, or that would do more than it says',
    ),
  windows,
});

/** A portal of portolan.yaml. */
export const portal = z.strictObject({
  url: portalUrl.meta({
    form: 'URL',
    description:
      'ends in `/sharing/rest`; plain http to this machine only. Starter and worker must name the same',
  }),
  auth,
  ca: z
    .string()
    .min(1)
    .optional()
    .meta({ form: 'file', description: "certificate in PEM form that signed the portal's own" }),
  proxy: proxy.optional().meta({ form: 'URL', description: 'http proxy on the way to the portal' }),
  aliases: z.array(z.string().min(1).transform(withoutTrailingSlashes)).prefault([]).meta({
    form: 'list of URLs',
    description:
      'other addresses of the portal: they are looked for when verifying, and show that two names are one portal',
  }),
  insecure: z.boolean().default(false).describe('allows plain http to another machine'),
  timeout: duration
    .refine((given) => given >= 1_000 && given <= 240_000, 'is from 1s to 4m')
    .prefault(ms(RESPONSE_TIMEOUT_MS))
    .describe(
      'how long the portal may take to begin an answer (1s to 4m), and five times that once it was sent a file',
    ),
  concurrency: concurrency.prefault({}).meta({ effect: 'next run' }),
  role: z.literal('scratch', 'write scratch, or leave it out').optional().meta({
    unset: 'somebody works there',
    description: 'drills may [import into it](../guide/backups-and-restore.md#is-it-restorable)',
  }),
  policy: policy.prefault({}),
});
export type PortalFile = z.infer<typeof portal>;
