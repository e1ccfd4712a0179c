import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { PortolanError } from '../../model/errors/errors';

/** Nobody but the owner of the process reads what is stored. */
export const FILE_MODE = 0o600;
/** Read at a time from a package: the usual 64 KB cost an upload twice the work for no less memory. @format bytes */
export const READ_BYTES = 512 * 1024;

export const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

/** Packages hold the content of whole groups: nobody but the owner of the process reads them. */
const FOLDER_MODE = 0o700;

/** Makes a folder of a store. A power cut after that leaves it there. @param where the store's own folder */
export async function makeFolder(folder: string, where: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = folder; made !== where && made.length >= first.length; made = path.dirname(made))
    await syncFolder(path.dirname(made));
}

/** Renames a file within a store. A power cut after that leaves it under its new name. */
export async function renameForGood(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(path.dirname(to));
}

/** Makes the names in a folder survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  // A folder that was removed since has no names to lose.
  const handle = await open(folder, 'r').catch(absent);
  await handle
    ?.sync()
    .catch(unlessUnable)
    .finally(() => handle.close());
}

/** Some network shares cannot sync a folder. */
function unlessUnable(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EINVAL') throw error;
}

/** Does it, and turns what the file system says into a PortolanError. @param where the store's folder */
export async function guarded<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw localFault(thrown, where);
  }
}

/** A file system's error as a PortolanError; anything else as it is. */
export function localFault(thrown: unknown, where: string): unknown {
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  const options = { cause: thrown };
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new PortolanError('NO_SPACE', `no space left in the store at ${where}`, {}, options);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new PortolanError(
        'STORE_DENIED',
        `the store at ${where} denies ${syscall} (${code})`,
        {},
        options,
      );
    case 'EIO':
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ESTALE':
      return new PortolanError(
        'STORE_BROKEN',
        `the store at ${where} failed: ${syscall} (${code})`,
        {},
        options,
      );
    default:
      return thrown;
  }
}
