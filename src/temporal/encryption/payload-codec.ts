import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncryptionKey, EncryptionKeys } from '../../config/temporal/encryption-keys';
import { PortolanError } from '../../model/errors/errors';
import { shortened } from '../../model/text/plain-text';

const { Payload: WirePayload } = temporal.api.common.v1;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** How a payload says that it is encrypted, and with which key: as Temporal's samples have it in every language. */
const ENCODING = 'binary/encrypted';
const ENCODING_FIELD = 'encoding';
const KEY_FIELD = 'encryption-key-id';

/**
 * Converts what goes to Temporal and comes from there. Without keys it encrypts nothing, and refuses encrypted data.
 */
export const dataConverterOf = (encryption: EncryptionKeys = { keys: [] }): DataConverter => ({
  payloadCodecs: [new EncryptingCodec(encryption)],
  ...(encryption.writing && { failureConverterPath: require.resolve('./encoded-failures') }),
});

/**
 * Encrypts each payload with its metadata by AES-256-GCM: nonce, ciphertext, tag. Random 96-bit nonces allow 2^32
 * payloads per key. Accepts clear payloads, so runs from before encryption continue. Runs outside the workflow sandbox.
 */
export class EncryptingCodec implements PayloadCodec {
  private readonly keys: ReadonlyMap<string, EncryptionKey>;

  constructor(private readonly encryption: EncryptionKeys) {
    this.keys = new Map(encryption.keys.map((key) => [key.id, key]));
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    const { writing } = this.encryption;
    if (writing === undefined) return Promise.resolve(payloads);
    return Promise.resolve(
      payloads.map((payload) => (isEncrypted(payload) ? payload : seal(payload, writing))),
    );
  }

  /** Rejects with ENCRYPTION_KEY_MISSING and PAYLOAD_ALTERED. */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (isEncrypted(payload) ? this.open(payload) : payload));
  }

  private open(payload: Payload): Payload {
    const id = keyIdOf(payload) ?? '';
    const key = this.keys.get(id);
    if (key) return open(payload, key);
    const known = [...this.keys.keys()];
    throw new PortolanError(
      'ENCRYPTION_KEY_MISSING',
      `Temporal data is encrypted with key "${shortened(id, 40)}", but temporal.encryption here has ${known.length === 0 ? 'no keys' : `only ${known.join(', ')}`}.`,
    );
  }
}

/** Id of the key that a payload is encrypted with; undefined of one in clear. */
export const keyIdOf = (payload: Payload): string | undefined =>
  isEncrypted(payload) ? textOf(payload.metadata?.[KEY_FIELD]) : undefined;

const isEncrypted = ({ metadata }: Payload): boolean => textOf(metadata?.[ENCODING_FIELD]) === ENCODING;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

function seal(payload: Payload, { id, key }: EncryptionKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const plain = WirePayload.encode(payload).finish();
  return {
    metadata: { [ENCODING_FIELD]: Buffer.from(ENCODING), [KEY_FIELD]: Buffer.from(id) },
    data: Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]),
  };
}

function open({ data }: Payload, { id, key }: EncryptionKey): Payload {
  const bytes = Buffer.from(data ?? []);
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw altered(id);
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return WirePayload.decode(Buffer.concat([plain, decipher.final()]));
  } catch {
    throw altered(id);
  }
}

const altered = (id: string): PortolanError =>
  new PortolanError(
    'PAYLOAD_ALTERED',
    `Temporal data was modified, or encrypted with a key other than "${id}" here.`,
  );
