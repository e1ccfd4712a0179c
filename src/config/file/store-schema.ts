import { z } from 'zod';
import { withoutTrailingSlashes } from '../../model/identity';
import { Secret } from '../../secrets/secret';
import { secret, usableUrl } from './plain-values';

const anyStore = {
  encryption: z
    .strictObject({
      key: secret.meta({
        unset: 'not encrypted',
        description: 'client-side encryption of stored data',
      }),
    })
    .optional(),
};

const localStore = z
  .strictObject({
    type: z.literal('local').default('local').meta({
      unset: '`local`',
      description: 'folder, or [bucket](../guide/production.md) of S3 or a compatible server',
    }),
    path: z.string().min(1).default('./var/store').meta({
      form: 'folder',
      description: '`local`: packages, snapshots and records; the same everywhere',
    }),
    key: secret.optional().meta({
      unset: '`./var/store.key`, created when needed',
      description: 'signs snapshots and state files; the same everywhere. Required with `s3`',
    }),
    ...anyStore,
  })
  .transform(({ key, ...rest }) => ({ ...rest, key: key ?? new Secret({ created: `${rest.path}.key` }) }));

const awsChain = { unset: 'AWS credential chain', description: '`s3`' };

const s3Store = z.strictObject({
  type: z.literal('s3'),
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket: 3 to 63 of a-z, 0-9, . and -')
    .meta({ form: 'text', description: '`s3`: an existing bucket' }),
  prefix: z
    .string()
    .default('')
    .transform(asFolder)
    .meta({ unset: 'none', description: '`s3`: prefix of every key' }),
  endpoint: usableUrl({ form: 'https://HOST:PORT', credentials: 'set store.credentials' })
    .transform(withoutTrailingSlashes)
    .optional()
    .meta({ unset: "Amazon's", description: '`s3`: server' }),
  region: z.string().min(1).optional().meta({ unset: 'from AWS settings', description: '`s3`' }),
  insecure: z.boolean().default(false).describe('`s3`: allow plain http to other machines'),
  credentials: z
    .strictObject({ accessKeyId: secret.meta(awsChain), secretAccessKey: secret.meta(awsChain) })
    .optional(),
  key: secret,
  ...anyStore,
});

/** The store of portolan.yaml: a folder unless it says otherwise. */
export const store = z
  .discriminatedUnion('type', [localStore, s3Store], {
    error: ({ code }) => (code === 'invalid_union' ? 'write local or s3' : undefined),
  })
  .prefault({});

/** `backups` and `/backups/` are `backups/`. */
function asFolder(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, '');
  return bare === '' ? '' : `${bare}/`;
}
