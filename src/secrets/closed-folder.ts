import { chmod, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Rights of everybody but the owner. */
const OTHERS = 0o077;
const OWNER = 0o700;

/**
 * Takes from everybody but its owner what is in the folder under names of ours, and the folder itself where it holds
 * nothing else: a folder that people share with other things stays as it is. What was closed is not looked into again.
 * Nothing fails where the rights are not ours to change, as on a file system that has none.
 */
export async function closeToOthers(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return;
  for (const name of names.filter(isOurs)) await closeEntry(path.join(folder, name));
  await closeWhereOnly(folder, isOurs);
}

/** Closes the folder itself where it holds nothing but what is ours. */
export async function closeWhereOnly(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => undefined);
  if (names?.every(isOurs) === true) await close(folder);
}

/** Closes a file, or a folder with all that is in it; a folder last, so that one that was left half done is done again. */
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
