import { z } from 'zod';
import { isLoopback } from '../../model/address/loopback';
import { duration, hostAndPort, name, portalId } from './plain-values';

/** What somebody who asks the server may do. */
export const rights = ['view', 'start', 'operate', 'approve'] as const;
export type Right = (typeof rights)[number];

const rightsOf = (whose: string, more = '') =>
  z
    .array(z.enum(rights, 'write view, start, operate or approve'))
    .min(1)
    .default(['view'])
    .meta({
      form: 'list of view, start, operate, approve',
      description: `what ${whose} may do: look; start runs; answer parked runs, cancel, pause and release; approve and reject plans. Whoever may do anything may look${more}`,
    });

const limits = (whose: string) => ({
  routes: z
    .array(name)
    .optional()
    .meta({ unset: 'all', description: `routes with which ${whose} may do more than look` }),
  pipelines: z
    .array(name)
    .optional()
    .meta({ unset: 'all', description: `pipelines with which ${whose} may do more than look` }),
});

/** So many groups decide who may do what; those of them that a person is in travel in their session. */
const GROUPS_MAX = 40;

const entry = z
  .strictObject({
    users: z.array(z.string().min(1)).min(1).optional().meta({
      form: 'list of user names',
      unset: 'nobody',
      description:
        'who may ask once signed in: any of these users, whatever case their names are written in; without `people`, administrators with all rights',
    }),
    groups: z
      .array(portalId('group id'))
      .min(1)
      .optional()
      .meta({ form: 'list of group ids', unset: 'nobody', description: 'or any member of these groups' }),
    roles: z.array(z.string().min(1)).min(1).optional().meta({
      form: 'list of roles',
      unset: 'nobody',
      description:
        'or who has one of these roles at the portal: `org_admin`, `org_publisher`, `org_user`, `org_viewer`, or the id of a custom one, which then is no other role',
    }),
    rights: rightsOf(
      'they',
      '. Whom several entries mean has the rights of all of them, within the limits of each',
    ),
    ...limits('they'),
  })
  .refine(({ users, groups, roles }) => users ?? groups ?? roles, 'set users, groups or roles');

const signIn = z.strictObject({
  portal: name.meta({ form: 'name of a portal', description: 'where people sign in, with its own page' }),
  appId: z.string().min(1).max(200).meta({
    form: 'text',
    description:
      'of the application that [is registered there](../guide/access.md#sign-in) with the address `/sign-in/callback` of this server',
  }),
  people: z
    .array(entry)
    .min(1)
    .default([{ roles: ['org_admin'], rights: [...rights] }])
    .refine(
      (entries) => new Set(entries.flatMap(({ groups = [] }) => groups)).size <= GROUPS_MAX,
      `has more than ${GROUPS_MAX} groups`,
    ),
  session: duration
    .refine((given) => given >= 60_000 && given <= 30 * 86_400_000, 'is from 1m to 30d')
    .prefault('12h')
    .describe('how long somebody stays signed in (1m to 30d)'),
});

/** An origin as browsers write it: nothing behind the port, and no port that goes without saying. */
const origin = z
  .string()
  .refine(
    (given) => URL.canParse(given) && new URL(given).origin === given && /^https?:/.test(given),
    'is not an origin; write https://HOST or https://HOST:PORT, as the browser shows it',
  );

const codec = z.strictObject({
  origins: z.array(origin).min(1).meta({
    form: 'list of origins',
    description:
      "of Temporal's Web UI, such as `https://temporal.example.com`: [its pages show what is encrypted](../guide/production.md#encrypt-temporal-data) to whoever may look here",
  }),
});

const key = z.strictObject({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is not a sha256: 64 digits of 0-9 and a-f')
    .meta({
      form: 'sha256',
      description: 'of the key; `portolan serve key NAME` makes one, and prints both',
    }),
  rights: rightsOf('it'),
  ...limits('it'),
});

/** `serve` of portolan.yaml. Whether somebody can ask it anything is for `serveProblems` to see to. */
export const serve = z.strictObject({
  address: hostAndPort
    .default('127.0.0.1:8350')
    .meta({ form: 'HOST:PORT', description: 'where `serve` answers' }),
  url: z
    .url({ protocol: /^https?$/, error: 'is not an http or https address' })
    .optional()
    .meta({
      form: 'URL',
      unset: 'by its address',
      description: 'under which others reach it, behind a proxy: its host is answered too',
    }),
  tls: z
    .strictObject({
      cert: z
        .string()
        .min(1)
        .meta({ form: 'file', description: 'certificate in PEM form, and those that signed it' }),
      key: z
        .string()
        .min(1)
        .meta({ form: 'file', description: 'its key, in PEM form; new ones are used within a minute' }),
    })
    .optional()
    .meta({ unset: 'plain http', description: 'answers by https' }),
  insecure: z
    .boolean()
    .default(false)
    .describe('answers other machines by plain http, as behind a proxy that has the certificate'),
  proxies: z
    .array(
      z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'is no address, and no network as 10.0.0.0/8'),
    )
    .default([])
    .meta({
      form: 'list of addresses and networks',
      unset: 'none',
      description:
        'of proxies before it, which say with `X-Forwarded-For` for whom they ask: each of those may ask as often as anybody',
    }),
  open: z
    .boolean()
    .default(false)
    .describe('answers whoever asks, without a key; at an address of this machine only'),
  keys: z.record(name, key).default({}).meta({ description: 'who may ask, by a key of their own' }),
  signIn: signIn.optional().meta({
    unset: 'nobody signs in',
    description: 'people sign in at a portal, and are asked for no key',
  }),
  codec: codec.optional().meta({
    unset: 'nothing is decrypted for others',
    description: "decrypts payloads for Temporal's Web UI and command line, at `/codec`",
  }),
});
export type ServeFile = z.infer<typeof serve>;

/** As much of it as is checked between its parts. What is malformed is the schema's to report, and counts as right here. */
const plainServe = z.object({
  address: serve.shape.address.catch('localhost:0'),
  url: serve.shape.url.catch('https://localhost'),
  tls: z.unknown().optional(),
  insecure: z.boolean().default(false).catch(true),
  open: z.boolean().default(false).catch(false),
  signIn: z
    .object({ portal: z.string().optional().catch(undefined) })
    .optional()
    .catch({}),
  codec: z.unknown().optional(),
});

const sketch = z.object({
  serve: plainServe,
  portals: z.record(z.string(), z.unknown()).catch({}),
  temporal: z.object({ encryption: z.unknown() }).partial().catch({}),
});

/** What is wrong between the parts of it: who could ask that should not. */
export function serveProblems(given: unknown): string[] {
  const read = sketch.safeParse(given);
  if (!read.success) return [];
  const { address, open, insecure, signIn, url, tls, codec } = read.data.serve;
  const host = address.replace(/:\d+$/, '');
  const known = Object.keys(read.data.portals);
  const noPortal =
    signIn?.portal === undefined || known.includes(signIn.portal)
      ? []
      : [`serve.signIn.portal: unknown portal "${signIn.portal}"; defined: ${known.join(', ') || 'none'}`];
  const noKeys =
    codec === undefined || read.data.temporal.encryption !== undefined
      ? []
      : ['serve.codec: nothing to decrypt; set the keys in temporal.encryption'];
  const page = new URL(url ?? 'http://localhost');
  const inTheOpen =
    signIn === undefined || page.protocol === 'https:' || isLoopback(page.hostname)
      ? []
      : [`serve.url: would send sign-ins at ${page.host} unencrypted; use https`];
  const openToOthers =
    open && !isLoopback(page.hostname)
      ? [`serve.open: needs no key, so serve.url must name this machine only, not ${page.host}`]
      : [];
  if (isLoopback(host)) return [...noPortal, ...noKeys, ...inTheOpen, ...openToOthers];
  return [
    ...noPortal,
    ...noKeys,
    ...inTheOpen,
    ...(signIn === undefined || url !== undefined
      ? []
      : ['serve.url: is missing; the portal returns signed-in people to this address only']),
    ...(open
      ? [`serve.open: needs no key, so the address must be reachable from this machine only, not ${address}`]
      : []),
    ...(insecure || tls
      ? []
      : [
          `serve.address: ${address} is reachable from other machines and would receive keys unencrypted; set tls, or insecure: true behind a proxy that uses TLS`,
        ]),
  ];
}
