import path from 'node:path';
import { z } from 'zod';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { whyUnreadable } from './unreadable';

/** That a stored package was read and is not what it was, so that nothing new is built on it. */
const damageNote = z.object({ at: z.iso.datetime(), problem: z.string() });

const noteOf = (key: string): string => keys.damagedPackage(path.posix.basename(key));

/** Whoever may only read the store verifies all the same: the note is for the next backup, not for the reader. */
export async function noteDamage(store: Store, key: string, problem: string): Promise<void> {
  await store.writeJson(noteOf(key), { at: new Date().toISOString(), problem }).catch(() => undefined);
}

/** It was read and is what it should be, it was replaced, or it is gone. */
export async function forgetDamage(store: Store, key: string): Promise<void> {
  if (await isKnownDamaged(store, key)) await store.remove(noteOf(key)).catch(() => undefined);
}

/** A note that cannot be read counts as well: to bring items once more than needed does no harm. */
export const isKnownDamaged = async (store: Store, key: string): Promise<boolean> =>
  await store.readJson(noteOf(key), damageNote).then(
    (note) => note !== undefined,
    (thrown: unknown) => whyUnreadable(key, thrown) !== undefined,
  );
