import { z } from 'zod';
import { KEY_ID, KEYS_MAX } from '../../model/run/worker-view';
import { secret } from './plain-values';

const key = z.strictObject({
  id: z
    .string('write the id of a key in quotes')
    .regex(KEY_ID, 'an id of a key has letters, digits, hyphens, dots and underscores, at most 40')
    .meta({ form: 'text', description: 'by which it is known; what it encrypts names it, in clear' }),
  key: secret.meta({
    description: '32 random bytes, as 64 hexadecimal digits or in base64: `openssl rand -hex 32` makes one',
  }),
});

/** `temporal.encryption` of portolan.yaml: with what payloads are encrypted before Temporal has them. */
export const encryption = z.strictObject({
  keys: z
    .array(key)
    .min(1, 'write at least one key, or omit temporal.encryption')
    .max(KEYS_MAX, `has more than ${KEYS_MAX} keys`)
    .refine(
      (keys) => new Set(keys.map(({ id }) => id)).size === keys.length,
      'has two keys with the same id; give each its own',
    ),
  write: z
    .boolean()
    .default(true)
    .describe(
      'the first key encrypts what is written, each decrypts; `false` writes in clear and reads both, while keys are handed out or encryption is given up',
    ),
});
