import { type FileHandle, open } from 'node:fs/promises';
import { READ_BYTES } from './local-files';

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
