import { createHash } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';
import type { KeyMark } from '../../model/run/worker-view';
import type { EncryptionConfig } from '../config';

/** A key of `temporal.encryption`, read. */
export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** The keys of `temporal.encryption`, read. */
export interface EncryptionKeys {
  /** In the order of the file. */
  readonly keys: readonly EncryptionKey[];
  /** The encrypting key. @default what is written stays in clear */
  readonly writing?: EncryptionKey;
}

const KEY_BYTES = 32;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** The keys of `temporal.encryption`; undefined if it is not set. Throws SECRET_UNREADABLE and CONFIG_INVALID. */
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

/** Other text would be an easily guessed key. */
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

/** Fingerprint that distinguishes keys with the same ID and reveals nothing: eight hexadecimal digits. */
const fingerprintOf = ({ id, key }: EncryptionKey): string =>
  createHash('sha256').update(`portolan payload key ${id} `).update(key).digest('hex').slice(0, 8);

/** Fingerprints to publish, the encrypting key first. */
export const keyMarksOf = ({ keys, writing }: EncryptionKeys): KeyMark[] =>
  keys.map((each) => ({ id: each.id, fingerprint: fingerprintOf(each), writes: each === writing }));
