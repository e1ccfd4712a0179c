import { z } from 'zod';
import { KEY_ID, KEYS_MAX } from '../../model/run/worker-view';
import { secret } from './plain-values';

const key = z.strictObject({
  id: z
    .string('write the id of a key in quotes')
    .regex(KEY_ID, 'a key id has letters, digits, hyphens, dots and underscores, at most 40')
    .meta({ form: 'text', description: 'stored unencrypted with encrypted data' }),
  key: secret.meta({
    description: '32 bytes in hex or base64, as from `openssl rand -hex 32`',
  }),
});

/** `temporal.encryption` of portolan.yaml: the keys that encrypt payloads before they reach Temporal. */
export const encryption = z.strictObject({
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
