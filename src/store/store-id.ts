import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keys } from './keys';
import type { Store } from './store';

const note = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/**
 * Twelve hex digits that tell one store from another, however it is reached: made by the first who asks. Of two who ask
 * a new store in the same moment, both come to read what was written last.
 */
export async function storeId(store: Store): Promise<string> {
  const there = await store.readJson(keys.storeId, note);
  if (there) return there.id;
  await store.writeJson(keys.storeId, { id: randomBytes(6).toString('hex') });
  return (await store.readJson(keys.storeId, note))?.id ?? '';
}
