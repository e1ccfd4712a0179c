import { type FileHandle, open } from 'node:fs/promises';
import { READ_BYTES } from './local-files';

/**
 * A stretch of a file, read ahead by one piece into two buffers that are filled in turns: a piece stands until the next
 * one is asked for. Streams take new memory for each piece, and a gigabyte of that has the process collect its
 * garbage fifty times. Ends early where the file does.
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
    // Nobody hears of a piece that nobody asked for; the file is closed behind it.
    await ahead?.catch(() => undefined);
    await handle.close();
  }
}

/** As much of the buffer as the file has from there on. */
async function filled(handle: FileHandle, buffer: Buffer, from: number): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}
