import { chmod, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Permissions of group and others. */
const OTHERS = 0o077;
const OWNER = 0o700;

/**
 * Removes the permissions of group and others from the named entries of a folder, and from the folder if it holds
 * nothing else: a folder shared with other content stays as it is. Runs once per folder. Never fails if permissions
 * cannot be changed, as on a file system without them.
 */
export async function closeToOthers(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return;
  for (const name of names.filter(isOurs)) await closeEntry(path.join(folder, name));
  await closeWhereOnly(folder, isOurs);
}

/** Restricts the folder itself if it holds only these entries. */
export async function closeWhereOnly(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (names?.every(isOurs) === true) await close(folder);
}

/** Restricts a file, or a folder with its content; the folder last, so that an interrupted run is repeated. */
export async function closeEntry(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return;
  if (found.isDirectory()) {
    for (const name of await readdir(file).catch(() => [])) await closeEntry(path.join(file, name));
  }
  await close(file);
}

async function close(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || found.isSymbolicLink()) return;
  await chmod(file, found.mode & OWNER).catch(() => {});
}
