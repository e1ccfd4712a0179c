import { PortolanError } from '../model/errors/errors';
import type { Secret } from './secret';

/** Shorter ones can be guessed. @format characters */
export const KEY_LENGTH_MIN = 32;

/**
 * Reads a secret as a key. Throws SECRET_UNREADABLE, and CONFIG_INVALID if it is too short.
 * @param what for messages
 */
export async function readKey(secret: Secret, what: string): Promise<Buffer> {
  const text = await secret.read();
  if (text.length >= KEY_LENGTH_MIN) return Buffer.from(text);
  throw new PortolanError(
    'CONFIG_INVALID',
    `The ${what} from ${secret.source} has ${text.length} characters; at least ${KEY_LENGTH_MIN} are needed.`,
    { hint: 'Create one: openssl rand -hex 32' },
  );
}
