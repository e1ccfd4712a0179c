import { randomBytes } from 'node:crypto';
import { z, type ZodType } from 'zod';
import { PortolanError } from '../model/errors/errors';
import { sealedNote } from './encrypted/sealed-note';
import { keys } from './keys';
import type { Store } from './store';

/** Marker file of an encrypted store, itself encrypted. */
export const encryptionMarker = z.object({ since: z.iso.datetime() });

/** `Store.check`, using the store's other operations, which name a missing right. */
export async function checkByUse(store: Omit<Store, 'check'>): Promise<void> {
  // An encrypted store must not be written without its key.
  await store.readJson(keys.encryption, encryptionMarker);
  const key = `${keys.checks}${randomBytes(8).toString('hex')}.json`;
  const written = { key };
  await store.writeJson(key, written);
  try {
    const read = await store.readJson(key, z.object({ key: z.string() }));
    if (read?.key !== key) throw forgets(store, 'read');
    let listed = false;
    for await (const found of store.list(keys.checks)) listed ||= found === key;
    if (!listed) throw forgets(store, 'listed');
  } catch (thrown) {
    // Report the original problem, not a failed cleanup.
    await store.remove(key).catch(() => {});
    throw thrown;
  }
  await store.remove(key);
}

const forgets = ({ where }: Pick<Store, 'where'>, how: string): PortolanError =>
  new PortolanError('STORE_BROKEN', `a file just written to ${where} was missing when ${how}`);

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
