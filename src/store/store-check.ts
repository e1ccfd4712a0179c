import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../model/errors';
import type { Store } from './store';

const FOLDER = 'check/';

/** `Store.check` by means of the store's other operations, each of which says what it is denied. */
export async function checkByUse(store: Omit<Store, 'check'>): Promise<void> {
  const key = `${FOLDER}${randomBytes(8).toString('hex')}.json`;
  const written = { key };
  await store.writeJson(key, written);
  try {
    const read = await store.readJson(key, z.object({ key: z.string() }));
    if (read?.key !== key) throw forgets(store, 'read');
    let listed = false;
    for await (const found of store.list(FOLDER)) listed ||= found === key;
    if (!listed) throw forgets(store, 'listed');
  } finally {
    await store.remove(key);
  }
}

const forgets = ({ where }: Pick<Store, 'where'>, how: string): PortolanError =>
  new PortolanError('STORE_BROKEN', `what was just written to ${where} is not there when it is ${how}`);
