import { z } from 'zod';
import { rights } from '../../model/rights';
import { portalId } from '../../model/portal-id';
import { hostAndPort, name, named } from './plain-values';

const rightsOf = (more = '') =>
  z
    .array(z.enum(rights, 'write view, start, operate or approve'))
    .min(1)
    .default(['view'])
    .meta({
      form: 'list of view, start, operate, approve',
      description: `[rights](../guide/access.md); each includes \`view\`${more}`,
    });

const limits = {
  routes: z
    .array(name)
    .optional()
    .meta({ form: 'names', unset: 'all', description: 'routes for rights beyond `view`' }),
  pipelines: z
    .array(name)
    .optional()
    .meta({ form: 'names', unset: 'all', description: 'pipelines for rights beyond `view`' }),
};

/** A session carries which of these groups its person is in. */
const GROUPS_MAX = 40;

const entry = z
  .strictObject({
    users: z.array(z.string().min(1)).min(1).optional().meta({
      form: 'user names',
      unset: 'none',
      description: 'users who can sign in, ignoring case; without `people`: administrators, with all rights',
    }),
    groups: z
      .array(portalId('group id'))
      .min(1)
      .optional()
      .meta({ form: 'group IDs', unset: 'none', description: 'or members of these groups' }),
    roles: z.array(z.string().min(1)).min(1).optional().meta({
      form: 'roles',
      unset: 'none',
      description:
        'or members with `org_admin`, `org_publisher`, `org_user`, `org_viewer` or a custom role ID, which matches only itself',
    }),
    rights: rightsOf('. Entries add up, each within its limits'),
    ...limits,
  })
  .refine(({ users, groups, roles }) => users ?? groups ?? roles, 'set users, groups or roles');

const signIn = z.strictObject({
  portal: name.meta({ form: 'portal', description: 'portal where people sign in' }),
  appId: z.string().min(1).max(200).meta({
    form: 'text',
    description: 'application [registered there](../guide/access.md) for `/sign-in/callback`',
  }),
  people: z
    .array(entry)
    .min(1)
    .default([{ roles: ['org_admin'], rights: [...rights] }])
    .refine(
      (entries) => new Set(entries.flatMap(({ groups = [] }) => groups)).size <= GROUPS_MAX,
      `has more than ${GROUPS_MAX} groups`,
    ),
});

/** An origin as browsers write it: nothing after the port, no default port. */
const origin = z
  .string()
  .refine(
    (given) => URL.canParse(given) && new URL(given).origin === given && /^https?:/.test(given),
    'is not an origin; write https://HOST or https://HOST:PORT, as the browser shows it',
  );

const codec = z.strictObject({
  origins: z.array(origin).min(1).meta({
    form: 'origins',
    description: 'Temporal Web UIs that show [decrypted data](../guide/production.md) to callers with `view`',
  }),
});

const key = z.strictObject({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is not a sha256: 64 digits of 0-9 and a-f')
    .meta({
      form: 'sha256',
      description: 'hash of the key, from `portolan serve key NAME`',
    }),
  rights: rightsOf(),
  ...limits,
});

/** `serve` of portolan.yaml. The cross-checks hold its keys against each other. */
export const serve = z.strictObject({
  address: hostAndPort
    .default('127.0.0.1:8350')
    .meta({ form: 'HOST:PORT', description: 'listen address of `serve`' }),
  url: z
    .url({ protocol: /^https?$/, error: 'is not an http or https address' })
    .optional()
    .meta({
      form: 'URL',
      unset: 'its address',
      description: 'URL that callers use',
    }),
  tls: z
    .strictObject({
      cert: z.string().min(1).meta({ form: 'file', description: 'certificate chain (PEM)' }),
      key: z
        .string()
        .min(1)
        .meta({ form: 'file', description: 'private key (PEM); changed files apply within a minute' }),
    })
    .optional()
    .meta({ unset: 'plain http', description: 'serve https' }),
  insecure: z
    .boolean()
    .default(false)
    .describe('serve other machines over plain http, as behind a TLS proxy'),
  proxies: z
    .array(
      z.union(
        [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
        'is not an address or a network such as 10.0.0.0/8',
      ),
    )
    .default([])
    .meta({
      form: 'addresses, networks',
      unset: 'none',
      description: 'proxies trusted to name callers in `X-Forwarded-For`',
    }),
  open: z.boolean().default(false).describe('accept callers without a key; loopback addresses only'),
  keys: named(key).prefault({}).meta({ description: 'callers, by key' }),
  signIn: signIn.optional().meta({
    unset: 'keys only',
    description: 'people sign in at a portal, without a key',
  }),
  codec: codec.optional().meta({
    unset: 'off',
    description: "decrypts payloads for Temporal's Web UI and command line, at `/codec`",
  }),
});
