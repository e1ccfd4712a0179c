import { z } from 'zod';
import { withoutTrailingSlashes } from '../../model/text/trailing-slashes';
import { secret } from './plain-values';

const anyStore = {
  encryption: z
    .strictObject({
      key: secret.meta({
        unset: 'not encrypted',
        description: 'encrypts on this side what is stored; at least 32 characters',
      }),
    })
    .optional(),
};

const localStore = z.strictObject({
  type: z.literal('local').meta({
    unset: '`local`',
    description:
      'a folder, or [a bucket](../guide/production.md#store) of S3 or of a server that speaks its interface',
  }),
  path: z.string().min(1).default('./var/store').meta({
    form: 'folder',
    description: 'with `local`: packages, snapshots and records; all workers and commands need the same',
  }),
  key: secret.optional().meta({
    unset: '`./var/store.key`, made when needed',
    description:
      'authenticates snapshots and the notes of runs; at least 32 characters. All workers and commands need the same; with `s3` it must be named',
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

const awsChain = { unset: "AWS's own chain", description: 'with `s3`' };

const sse = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('AES256').meta({
        unset: 'that of the bucket',
        description: 'with `s3`: how the server encrypts what is written',
      }),
    }),
    z.strictObject({
      type: z.literal('aws:kms'),
      key: z
        .string()
        .min(1)
        .optional()
        .meta({ unset: 'that of the account', description: 'with `aws:kms`: id or alias of the key' }),
    }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'write AES256 or aws:kms' : undefined) },
);

const s3Store = z.strictObject({
  type: z.literal('s3'),
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket: 3 to 63 of a-z, 0-9, . and -')
    .meta({ form: 'name of a bucket', description: 'with `s3`: it must exist' }),
  prefix: z
    .string()
    .default('')
    .transform(asFolder)
    .meta({ unset: 'none', description: 'with `s3`: what stands before every key in the bucket' }),
  endpoint: z.string().superRefine(checkEndpoint).transform(withoutTrailingSlashes).optional().meta({
    form: 'URL',
    unset: "Amazon's",
    description: 'with `s3`: the server; plain http to this machine only',
  }),
  region: z
    .string()
    .min(1)
    .optional()
    .meta({ unset: "that of AWS's own settings", description: 'with `s3`' }),
  pathStyle: z.boolean().optional().meta({
    unset: 'true with an endpoint',
    description: 'with `s3`: whether the bucket stands in the path of URLs',
  }),
  insecure: z.boolean().default(false).describe('with `s3`: allows plain http to another machine'),
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
