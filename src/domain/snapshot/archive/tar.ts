/** Blocks of a tar archive. @format bytes */
export const TAR_BLOCK = 512;
/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

/** Longer names do not fit into a header. @format bytes */
const NAME_MAX = 100;
/** What fits into eleven octal digits; more is written in base 256. @format bytes */
const OCTAL_MAX = 8 ** 11 - 1;

export interface TarEntry {
  readonly name: string;
  /** @format bytes */
  readonly size: number;
}

/**
 * The header of a file in the ustar form that every tar reads. It says name and size; all else is always the same, so
 * that a header which is another one is seen.
 */
export function tarHeader({ name, size }: TarEntry): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  if (Buffer.byteLength(name) > NAME_MAX)
    throw new RangeError(`the name is too long for a tar archive: ${name}`);
  header.write(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  writeSize(header, size);
  header.write('00000000000\0', 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** What a header says; undefined where it is not exactly one of those above. */
export function readTarHeader(header: Buffer): TarEntry | undefined {
  const end = header.indexOf(0);
  const name = header.toString('utf8', 0, Math.min(end < 0 ? NAME_MAX : end, NAME_MAX));
  const size = readSize(header);
  if (name === '' || size === undefined || Buffer.byteLength(name) > NAME_MAX) return undefined;
  return header.equals(tarHeader({ name, size })) ? { name, size } : undefined;
}

/** Bytes that fill the last block of a file. */
export const tarPadding = (size: number): Buffer =>
  Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);

/** What an entry takes with its header and padding. @format bytes */
export const tarSpan = (size: number): number => TAR_BLOCK + size + tarPadding(size).length;

function writeSize(header: Buffer, size: number): void {
  if (size <= OCTAL_MAX) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
}

function readSize(header: Buffer): number | undefined {
  if (header.readUInt8(124) === 0x80) {
    const size = header.readBigUInt64BE(128);
    return size <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(size) : undefined;
  }
  const digits = header.toString('latin1', 124, 135);
  return /^[0-7]{11}$/.test(digits) ? parseInt(digits, 8) : undefined;
}
