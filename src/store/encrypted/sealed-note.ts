import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { altered, CIPHER, SALT_BYTES, TAG_BYTES } from './sealed-frames';

/** The derived key is used for one file only. */
const NONCE = Buffer.alloc(12);

/** JSON of an encrypted store: salt, and text with its tag, in base64. */
export const sealedNote = z.strictObject({
  encrypted: z.literal('portolan-1'),
  salt: z.base64(),
  data: z.base64(),
});
type SealedNote = z.infer<typeof sealedNote>;

/** Encrypts a text for one key of the store; it cannot be read under another. */
export function sealNote(storeKey: Buffer, key: string, text: string): SealedNote {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, noteKey(storeKey, salt, key), NONCE);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { encrypted: 'portolan-1', salt: salt.toString('base64'), data: data.toString('base64') };
}

/** The text. Throws SNAPSHOT_ALTERED. @param what the note and its store, for messages */
export function openNote(storeKey: Buffer, key: string, note: SealedNote, what: string): string {
  const sealed = Buffer.from(note.data, 'base64');
  if (sealed.length < TAG_BYTES) throw altered(what);
  const opening = createDecipheriv(CIPHER, noteKey(storeKey, Buffer.from(note.salt, 'base64'), key), NONCE);
  opening.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const text = opening.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    opening.final();
  } catch {
    throw altered(what);
  }
  return text.toString('utf8');
}

const noteKey = (storeKey: Buffer, salt: Buffer, key: string): Buffer =>
  Buffer.from(hkdfSync('sha256', storeKey, salt, `note ${key}`, 32));
