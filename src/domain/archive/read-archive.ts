import { createHash, type KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ZodType } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { hashed } from '../snapshot/hashing';
import {
  archivedRows,
  type ArchiveHead,
  archiveHead,
  type ArchiveSignature,
  filesOf,
  folderOf,
  HEAD_NAME,
  isSignedWith,
  parseSignature,
  readTarHeader,
  ROWS_NAME,
  SIGNATURE_BYTES,
  TAR_BLOCK,
  tarPadding,
} from './archive-format';
import { fingerprintOf } from './signing-keys';

/** @format bytes */
const READ_AT_ONCE = 512 * 1024;

/**
 * Opens an archive, once all of its bytes are what one of the trusted keys has signed, and its entries are those that its
 * head names. Throws FILE_ALTERED, FILE_UNTRUSTED and USAGE.
 */
export async function readArchive<T>(
  file: string,
  trusted: readonly KeyObject[],
  use: (archive: Archive, head: ArchiveHead) => Promise<T>,
): Promise<T> {
  const { handle, sizeBytes } = await openFile(file);
  try {
    const { keySha256, headSha256 } = await requireSigned(file, { handle, sizeBytes }, trusted);
    const archive = new Archive(file, handle, keySha256);
    const head = await archive.json(HEAD_NAME, headSha256, archiveHead);
    await archive.requireOnly(head, sizeBytes - SIGNATURE_BYTES);
    return await use(archive, head);
  } finally {
    await handle.close();
  }
}

/**
 * Entries of an archive, in order. Each is compared with the sha256 that the signature, the head or a snapshot's rows
 * name, so a file that changes while it is read is noticed too.
 */
export class Archive {
  private at = 0;

  constructor(
    readonly file: string,
    private readonly handle: FileHandle,
    /** Of the public key that its signature was verified with. */
    readonly keySha256: string,
  ) {}

  async json<T>(name: string, sha256: string, schema: ZodType<T>): Promise<T> {
    const text = (await buffer(this.bytes(name, sha256))).toString();
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      throw this.malformed(name);
    }
  }

  /** Throws at the end if they have another sha256. */
  async *bytes(name: string, sha256: string): AsyncGenerator<Uint8Array> {
    const header = await this.header();
    if (header?.name !== name) throw this.malformed(header?.name ?? name);
    const hash = createHash('sha256');
    yield* hashed(read(this.handle, this.at + TAR_BLOCK, header.sizeBytes), hash);
    if (hash.digest('hex') !== sha256) throw this.malformed(name);
    this.pass(header);
  }

  /** Throws unless the entries up to the signature are those that the head names. Reads on where it began. */
  async requireOnly({ snapshots }: ArchiveHead, bodyBytes: number): Promise<void> {
    const start = this.at;
    for (const [index, manifest] of snapshots.entries()) {
      const folder = folderOf(index);
      const rows = await this.json(folder + ROWS_NAME, manifest.rows.sha256, archivedRows);
      for (const { name: own } of filesOf(manifest, rows)) {
        const name = folder + own;
        const header = await this.header();
        if (header?.name !== name) throw this.malformed(header?.name ?? name);
        this.pass(header);
      }
    }
    if (this.at !== bodyBytes) throw this.malformed((await this.header())?.name ?? HEAD_NAME);
    this.at = start;
  }

  async skip(folder: string): Promise<void> {
    for (;;) {
      const header = await this.header();
      if (!header?.name.startsWith(folder)) return;
      this.pass(header);
    }
  }

  malformed(what: string): PortolanError {
    return new PortolanError('FILE_ALTERED', `${this.file} is not a valid Portolan file: ${what}`);
  }

  private async header() {
    return readTarHeader(await buffer(read(this.handle, this.at, TAR_BLOCK)));
  }

  private pass({ sizeBytes }: { readonly sizeBytes: number }): void {
    this.at += TAR_BLOCK + sizeBytes + tarPadding(sizeBytes).length;
  }
}

async function requireSigned(
  file: string,
  { handle, sizeBytes }: OpenFile,
  trusted: readonly KeyObject[],
): Promise<ArchiveSignature> {
  const bodyBytes = Math.max(0, sizeBytes - SIGNATURE_BYTES);
  const signature = parseSignature(await buffer(read(handle, bodyBytes, SIGNATURE_BYTES)));
  if (!signature)
    throw new PortolanError(
      'FILE_ALTERED',
      `${file} does not end like a file that Portolan exports: it is something else, was cut off or was modified`,
    );
  const fingerprints = trusted.map(fingerprintOf);
  const key = trusted[fingerprints.indexOf(signature.keySha256)];
  if (!key)
    throw new PortolanError(
      'FILE_UNTRUSTED',
      `${file} says it was signed with key ${signature.keySha256.slice(0, 16)}, which is not a trusted key: ${fingerprints.map((each) => each.slice(0, 16)).join(', ')}`,
    );
  const hash = createHash('sha256');
  for await (const piece of read(handle, 0, bodyBytes)) hash.update(piece);
  if (isSignedWith(key, signature) && hash.digest('hex') === signature.bodySha256) return signature;
  throw new PortolanError('FILE_ALTERED', `${file} was modified after it was signed`);
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly sizeBytes: number;
}

async function openFile(file: string): Promise<OpenFile> {
  const refused = (problem: string): PortolanError =>
    new PortolanError('USAGE', `${file} ${problem}`, { hint: 'Name the exported file.' });
  // A pipe is not waited for.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw refused(`cannot be read (${error.code})`);
    },
  );
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, sizeBytes: stats.size };
  await handle.close();
  throw refused('is not a file but a folder, pipe or device; an import reads it twice');
}

/** Bytes of a file, in pieces; fewer if it ends before. */
async function* read(handle: FileHandle, start: number, length: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < start + length;) {
    const room = Buffer.alloc(Math.min(READ_AT_ONCE, start + length - at));
    const { bytesRead } = await handle.read(room, 0, room.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield room.subarray(0, bytesRead);
  }
}
