import { z } from 'zod';
import { withoutTrailingSlashes } from '../../model/text/trailing-slashes';
import { secret } from './plain-values';

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

const localStore = z.strictObject({
  type: z.literal('local').meta({
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
});

function checkEndpoint(text: string, context: z.RefinementCtx): void {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    context.addIssue({ code: 'custom', message: 'is not a URL; write it as https://HOST:PORT' });
  } else if (new URL(text).username !== '' || new URL(text).password !== '') {
    context.addIssue({
      code: 'custom',
      message: 'must not hold credentials; set store.credentials',
    });
  }
}

const awsChain = { unset: 'AWS credential chain', description: '`s3`' };

const sse = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('AES256').meta({
        unset: "bucket's",
        description: '`s3`: server-side encryption',
      }),
    }),
    z.strictObject({
      type: z.literal('aws:kms'),
      key: z
        .string()
        .min(1)
        .optional()
        .meta({ unset: "account's", description: '`aws:kms`: key ID or alias' }),
    }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'write AES256 or aws:kms' : undefined) },
);

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
  endpoint: z.string().superRefine(checkEndpoint).transform(withoutTrailingSlashes).optional().meta({
    form: 'URL',
    unset: "Amazon's",
    description: '`s3`: server',
  }),
  region: z.string().min(1).optional().meta({ unset: 'from AWS settings', description: '`s3`' }),
  pathStyle: z.boolean().optional().meta({
    unset: 'true with an endpoint',
    description: '`s3`: bucket in the URL path',
  }),
  insecure: z.boolean().default(false).describe('`s3`: allow plain http to other machines'),
  credentials: z
    .strictObject({ accessKeyId: secret.meta(awsChain), secretAccessKey: secret.meta(awsChain) })
    .optional(),
  sse: sse.optional(),
  key: secret,
  ...anyStore,
});

/** The store of portolan.yaml: a folder unless it says otherwise. */
export const store = z
  .preprocess(
    (given) => (isRecord(given) && given['type'] === undefined ? { ...given, type: 'local' } : given),
    z.discriminatedUnion('type', [localStore, s3Store], {
      error: ({ code }) => (code === 'invalid_union' ? 'write local or s3' : undefined),
    }),
  )
  .prefault({});
export type StoreFile = z.infer<typeof store>;

const isRecord = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

/** `backups` and `/backups/` are `backups/`. */
function asFolder(text: string): string {
  const bare = text.replace(/^\/+|\/+$/g, '');
  return bare === '' ? '' : `${bare}/`;
}
