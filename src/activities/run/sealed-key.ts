import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { PortolanError } from '../../model/errors/errors';

/** A job key as it may stand in history: AES-256-GCM under a key derived from the portal's secret and the run. */
export type SealedKey = string;

const FORMAT = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const derive = (secret: string, runId: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, runId, 'portolan job key', 32));

export function sealKey(secret: string, runId: string, key: string): SealedKey {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derive(secret, runId), iv);
  const sealed = Buffer.concat([iv, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${FORMAT}.${sealed.toString('base64url')}`;
}

/** Throws SECRET_CHANGED where the secret is no longer the one that sealed it. */
export function unsealKey(secret: string, runId: string, sealed: SealedKey): string {
  const bytes = Buffer.from(sealed.slice(FORMAT.length + 1), 'base64url');
  try {
    const open = createDecipheriv('aes-256-gcm', derive(secret, runId), bytes.subarray(0, IV_BYTES));
    open.setAuthTag(bytes.subarray(-TAG_BYTES));
    return open.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + open.final('utf8');
  } catch {
    throw new PortolanError(
      'SECRET_CHANGED',
      "the job's key cannot be read with the secret that is configured now",
    );
  }
}
