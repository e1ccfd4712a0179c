import { z, type ZodType } from 'zod';
import { pageName } from '../../../store/keys';
import type { Store } from '../../../store/store';

/** Keeps a long list as pages, one object a page, named by where it starts: a repeat overwrites, never appends. */
export async function writePage(
  store: Store,
  folder: string,
  start: number,
  rows: readonly unknown[],
): Promise<void> {
  await store.writeJson(`${folder}${pageName(start)}`, rows);
}

export async function readPages<T>(store: Store, folder: string, row: ZodType<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const key of store.list(folder)) all.push(...((await store.readJson(key, z.array(row))) ?? []));
  return all;
}
