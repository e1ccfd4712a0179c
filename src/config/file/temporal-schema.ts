import { z } from 'zod';
import { KEY_ID, KEYS_MAX } from '../../model/run/worker-view';
import { hostAndPort, secret } from './plain-values';

const count = (most: number) =>
  z.number().int('must be a whole number').min(1, 'must be at least 1').max(most, `must be at most ${most}`);

/** Temporal joins it to a build ID with a dot, or with a colon in visibility queries. */
const DEPLOYMENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/** How much one worker does at a time. */
const worker = z.strictObject({
  activities: count(2_000).default(100).describe('activities at a time'),
  transfers: count(64).default(4).describe('package transfers at a time'),
  deployment: z.string().regex(DEPLOYMENT_NAME, 'has up to 40 letters, digits, - and _').optional().meta({
    unset: 'runs continue on any worker',
    description:
      'Worker Deployment name, one per task queue; pins runs to the worker version that started them',
  }),
});

const key = z.strictObject({
  id: z
    .string('write the id of a key in quotes')
    .regex(KEY_ID, 'a key id has letters, digits, hyphens, dots and underscores, at most 40')
    .meta({ form: 'text', description: 'stored unencrypted with encrypted data' }),
  key: secret.meta({
    description: '32 bytes in hex or base64, as from `openssl rand -hex 32`',
  }),
});

/** The keys that encrypt payloads before they reach Temporal. */
const encryption = z.strictObject({
  keys: z
    .array(key)
    .min(1, 'write at least one key, or omit temporal.encryption')
    .max(KEYS_MAX, `has more than ${KEYS_MAX} keys`)
    .refine(
      (keys) => new Set(keys.map(({ id }) => id)).size === keys.length,
      'has two keys with the same id',
    ),
  write: z
    .boolean()
    .default(true)
    .describe('encrypt with the first key; `false` only decrypts, to roll out keys or stop encrypting'),
});

export const temporal = z.strictObject({
  address: hostAndPort.optional().meta({
    form: 'HOST:PORT',
    unset: '`TEMPORAL_ADDRESS`, else localhost:7233',
    description: 'the Temporal server; `up` accepts this machine only',
  }),
  namespace: z
    .string()
    .min(1)
    .optional()
    .meta({ unset: '`TEMPORAL_NAMESPACE`, else default', description: 'the Temporal namespace' }),
  taskQueue: z
    .string()
    .min(1)
    .default('portolan')
    .describe('task queue; transfers use it with `-transfer` appended'),
  state: z
    .string()
    .min(1)
    .default('./var/temporal')
    .meta({ form: 'folder', description: 'database and log of the server that `up` starts' }),
  worker: worker.prefault({}),
  encryption: encryption.optional(),
});
