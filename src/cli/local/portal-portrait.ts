import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ItemRecord } from '../../simulator/state/records';
import type { World } from '../../simulator/world';

/** The contents of a simulated portal, read from its state and not through the client: facts by name, as text. */
export type Portrait = ReadonlyMap<string, string>;

/** Fields left out: times and job IDs of writes, and values that change while they are read. */
const passing: ReadonlySet<keyof ItemRecord> = new Set([
  ...(['created', 'modified', 'readableAt', 'indexedAt', 'importedBy', 'previews', 'status'] as const),
  ...(['data', 'size'] as const),
]);

/**
 * All items with owner, folder, sharing level, groups and delete protection; the sha256 of their data, thumbnails,
 * resources and rows; folders, groups, settings and categories. Times of writes are left out.
 */
export async function portraitOf(world: World): Promise<Portrait> {
  const facts = new Map<string, string>();
  const note = (name: string, value: unknown): void => void facts.set(name, JSON.stringify(value) ?? '-');
  const folders = new Map([...world.folders.values()].map(({ id, title }) => [id, title]));
  for (const { username, title } of world.folders.values()) note(`folder ${username}/${title}`, 'there');
  for (const { id, title, owner, members, access } of world.groups.values())
    note(`group ${id}`, { title, owner, members, access });
  for (const item of world.items.filter(({ deletedAt }) => deletedAt === undefined)) {
    const fields = Object.entries(item).filter(([name]) => !passing.has(name as keyof ItemRecord));
    for (const [name, value] of fields)
      note(`item ${item.id} ${name}`, name === 'ownerFolder' ? folders.get(String(value)) : value);
    if (item.data) note(`item ${item.id} data`, await digestOf(world, item));
    for (const [file, sha256] of await filesOf(path.dirname(world.files.dataPath(item.id))))
      note(`item ${item.id} ${file}`, sha256);
  }
  for (const { path: service, layers, tables } of world.services.values())
    for (const { id, count } of [...layers, ...tables]) note(`service ${service}/${id} rows`, count);
  note('settings', world.portal.settings);
  note('categories', world.portal.categorySchema);
  return facts;
}

async function digestOf(world: World, item: ItemRecord): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of world.files.readData(item)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** Further files of an item, with their sha256. */
async function filesOf(folder: string): Promise<[string, string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => file !== path.join(folder, 'data'));
  return await Promise.all(
    files.map(async (file): Promise<[string, string]> => [
      path.relative(folder, file),
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ]),
  );
}

/** The differences between two portraits, one per line; empty if there are none. */
export function differencesOf(before: Portrait, after: Portrait): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'not there'} -> ${after.get(name) ?? 'not there'}`);
}
