import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keys } from './keys';
import type { Store } from './store';

const note = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/**
 * Twelve hex digits that identify a store, however it is reached, created on first use. Two concurrent creators both
 * read the last one written.
 */
export async function storeId(store: Store): Promise<string> {
  const there = await store.readJson(keys.storeId, note);
  if (there) return there.id;
  await store.writeJson(keys.storeId, { id: randomBytes(6).toString('hex') });
  return (await store.readJson(keys.storeId, note))?.id ?? '';
}
