import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { PortolanError } from '../../../model/errors/errors';

/** A file that is open, and how long it is. @format bytes */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * Opens a file that is read more than once. What is none, such as a pipe that nobody writes into, is refused at once
 * and not waited for.
 * @param hint what to name instead
 * @throws PortolanError USAGE
 */
export async function openRegularFile(file: string, hint: string): Promise<OpenFile> {
  const refuse = (words: string): never => {
    throw new PortolanError('USAGE', `${file} ${words}`, { hint });
  };
  // Without waiting for whoever would write into a pipe. A system without pipes has no such flag.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) =>
    refuse(error.code === 'ENXIO' ? 'is a device or a socket, not a file' : `cannot be read (${error.code})`),
  );
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, size: stats.size };
  await handle.close();
  return refuse(`is ${kindOf(stats)}, not a file; an import reads it twice`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}
