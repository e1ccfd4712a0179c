import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ItemRecord } from './state/records';
import type { World } from './world';

/** The contents of a portal: facts by name, as text. */
export type Portrait = ReadonlyMap<string, string>;

/** Fields left out: times and job IDs of writes, and what a digest of the data replaces. */
const passing: ReadonlySet<string> = new Set<keyof ItemRecord>([
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
  for (const { username, title } of world.folders.values()) note(`folder ${username}/${title}`, 'there');
  for (const { id, title, owner, members, access } of world.groups.values())
    note(`group ${id}`, { title, owner, members, access });
  for (const item of world.items.filter(({ deletedAt }) => deletedAt === undefined)) {
    const { id, ownerFolder } = item;
    const folder = ownerFolder && world.folders.get(ownerFolder)?.title;
    for (const [name, value] of Object.entries({ ...item, ownerFolder: folder }))
      if (!passing.has(name)) note(`item ${id} ${name}`, value);
    if (item.data) note(`item ${id} data`, await sha256(world.files.readData(item)));
    const files = path.dirname(world.files.dataPath(id));
    const entries = await readdir(files, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(files, file);
      if (name !== 'data') note(`item ${id} ${name}`, await sha256(createReadStream(file)));
    }
  }
  for (const { path: service, layers, tables } of world.services.values())
    for (const { id, count } of [...layers, ...tables]) note(`service ${service}/${id} rows`, count);
  note('settings', world.portal.settings);
  note('categories', world.portal.categorySchema);
  return facts;
}

async function sha256(content: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(content, hash);
  return hash.digest('hex');
}

/** The differences between two portraits, one per line; empty if there are none. */
export function differencesOf(before: Portrait, after: Portrait): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'not there'} -> ${after.get(name) ?? 'not there'}`);
}
