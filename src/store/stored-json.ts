import type { ZodType } from 'zod';
import { PortolanError } from '../model/errors/errors';
import { sealedNote } from './encrypted/sealed-note';

/** JSON of a store as its schema wants it. Throws STORE_BROKEN. @param what key and store, for people */
export function parseStored<T>(text: string, schema: ZodType<T>, what: string): T {
  let read: unknown;
  try {
    read = JSON.parse(text);
    return schema.parse(read);
  } catch (cause) {
    if (sealedNote.safeParse(read).success) {
      throw new PortolanError('CONFIG_INVALID', `${what} is encrypted, but store.encryption.key is not set`);
    }
    throw new PortolanError('STORE_BROKEN', `${what} is not a valid Portolan file`, {}, { cause });
  }
}
