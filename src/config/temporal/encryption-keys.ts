import { createHash } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import type { KeyMark } from '../../model/run/worker-view';
import type { EncryptionConfig } from '../config';

/** A key of `temporal.encryption`, as it was read. */
export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** What `temporal.encryption` comes to. */
export interface EncryptionKeys {
  /** In the order of the file. */
  readonly keys: readonly EncryptionKey[];
  /** The one that encrypts. @default what is written stays in clear */
  readonly writing?: EncryptionKey;
}

const KEY_BYTES = 32;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** The keys of `temporal.encryption`; none where there is none. Throws SECRET_UNREADABLE and CONFIG_INVALID. */
export async function readEncryptionKeys(encryption: EncryptionConfig | undefined): Promise<EncryptionKeys> {
  if (encryption === undefined) return { keys: [] };
  const keys = await Promise.all(
    encryption.keys.map(async ({ id, key }, index) => ({
      id,
      key: bytesOf(await key.read(), `temporal.encryption.keys.${index}.key, from ${key.source},`),
    })),
  );
  return { keys, ...(encryption.write && { writing: keys[0] }) };
}

/** Another text would be a key that is easier to guess than it looks. */
function bytesOf(given: string, what: string): Buffer {
  const text = given.trim();
  const bytes = HEX.test(text)
    ? Buffer.from(text, 'hex')
    : BASE64.test(text)
      ? Buffer.from(text, 'base64')
      : undefined;
  if (bytes?.length === KEY_BYTES) return bytes;
  throw new PortolanError(
    'CONFIG_INVALID',
    `${what} is not a key: it needs ${KEY_BYTES} bytes, as 64 hexadecimal digits or in base64.`,
    { hint: 'Create one: openssl rand -hex 32' },
  );
}

/** Tells keys of one id apart, and nothing of what they are: eight hexadecimal digits. */
const fingerprintOf = ({ id, key }: EncryptionKey): string =>
  createHash('sha256').update(`portolan payload key ${id} `).update(key).digest('hex').slice(0, 8);

/** What whoever has the keys tells of them, the one that encrypts first. */
export const keyMarksOf = ({ keys, writing }: EncryptionKeys): KeyMark[] =>
  keys.map((each) => ({ id: each.id, fingerprint: fingerprintOf(each), writes: each === writing }));
