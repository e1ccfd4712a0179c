import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { PortolanError } from '../../model/errors/errors';

/** Stored files are readable only by the owner of the process. */
export const FILE_MODE = 0o600;
/** Read size for packages: the default 64 KB doubles the CPU cost of an upload. @format bytes */
export const READ_BYTES = 512 * 1024;

export const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

/** Packages hold whole groups, so only the owner of the process can read them. */
const FOLDER_MODE = 0o700;

/** Creates a folder of a store, durably across a power failure. @param where the store's own folder */
export async function makeFolder(folder: string, where: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = folder; made !== where && made.length >= first.length; made = path.dirname(made))
    await syncFolder(path.dirname(made));
}

/** Renames a file within a store, durably across a power failure. */
export async function renameForGood(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(path.dirname(to));
}

/** Syncs a folder's entries to disk. */
async function syncFolder(folder: string): Promise<void> {
  // A removed folder needs no sync.
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

/** Runs a file operation and converts its errors to PortolanError. @param where the store's folder */
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

/**
 * Reads a range of a file ahead into two alternating buffers; a chunk is valid until the next one is requested.
 * Streams allocate memory for each chunk, which causes frequent garbage collection. Ends early if the file does.
 */
export async function* piecesOf(file: string, start: number, end: number): AsyncGenerator<Buffer> {
  if (end <= start) return;
  const handle = await open(file);
  let ahead: Promise<Buffer> | undefined;
  try {
    const buffers = [0, 1].map(() => Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end - start)));
    const read = (piece: number): Promise<Buffer> => {
      const from = start + piece * READ_BYTES;
      return filled(handle, buffers[piece % 2]!.subarray(0, Math.max(0, end - from)), from);
    };
    ahead = read(0);
    for (let piece = 0; ; piece += 1) {
      const bytes = await ahead;
      if (bytes.length === 0) return;
      ahead = read(piece + 1);
      yield bytes;
    }
  } finally {
    // Errors of an unread chunk are ignored; the file is closed afterwards.
    await ahead?.catch(() => undefined);
    await handle.close();
  }
}

/** Fills the buffer as far as the file reaches. */
async function filled(handle: FileHandle, buffer: Buffer, from: number): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
