import { createHash } from 'node:crypto';
import { z, type ZodType } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import { entryNames, SNAPSHOT_FILE_FORMAT, type SnapshotHead, snapshotHead } from './snapshot-file';
import { readTarHeader, TAR_BLOCK, tarPadding } from './tar';

/** Ids that become keys of the store. */
const safeId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$/;

/** Reads the entries of a tar archive one after the other, in bounded memory. */
export class EntryReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array();

  constructor(
    private readonly file: string,
    source: AsyncIterable<Uint8Array>,
  ) {
    this.source = source[Symbol.asyncIterator]();
  }

  async head(): Promise<SnapshotHead> {
    const entry = readTarHeader(await this.take(TAR_BLOCK));
    if (entry?.name !== entryNames.head) throw this.unexpected(entry?.name ?? 'no header');
    const text = (await this.take(entry.size)).toString();
    await this.take(tarPadding(entry.size).length);
    const { format } = this.parse(entry.name, text, z.object({ format: z.number() }));
    if (format > SNAPSHOT_FILE_FORMAT) {
      throw new PortolanError(
        'SNAPSHOT_NEWER',
        `${this.file} has form ${format}; this Portolan reads up to ${SNAPSHOT_FILE_FORMAT}`,
      );
    }
    const head = this.parse(entry.name, text, snapshotHead);
    if (!safeId.test(head.manifest.id)) throw this.unexpected(head.manifest.id);
    return head;
  }

  async json<T>(entry: SnapshotHead['files'][number], schema: ZodType<T>): Promise<T> {
    const parts: Uint8Array[] = [];
    for await (const chunk of this.bytes(entry)) parts.push(chunk);
    return this.parse(entry.name, Buffer.concat(parts).toString(), schema);
  }

  private parse<T>(name: string, text: string, schema: ZodType<T>): T {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      throw this.unexpected(name);
    }
  }

  /** The bytes of the next entry; fails at their end where they are others than they should be. */
  async *bytes({ name, sizeBytes, sha256 }: SnapshotHead['files'][number]): AsyncGenerator<Uint8Array> {
    const header = readTarHeader(await this.take(TAR_BLOCK));
    if (header?.name !== name || header.size !== sizeBytes)
      throw this.unexpected(header?.name ?? 'no header');
    const hash = createHash('sha256');
    for (let left = sizeBytes; left > 0;) {
      const chunk = await this.some(left);
      hash.update(chunk);
      left -= chunk.length;
      yield chunk;
    }
    await this.take(tarPadding(sizeBytes).length);
    if (hash.digest('hex') !== sha256) throw this.unexpected(name);
  }

  async end(): Promise<void> {
    if (this.rest.length > 0 || !(await this.source.next()).done) throw this.unexpected('an entry too many');
  }

  async close(): Promise<void> {
    await this.source.return?.();
  }

  /** A file that was signed and is not as it should be was made by somebody else than Portolan. */
  unexpected(what: string): PortolanError {
    return new PortolanError(
      'SNAPSHOT_ALTERED',
      `${this.file} is not as Portolan writes such files: ${what}`,
    );
  }

  private async take(length: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0;) {
      const chunk = await this.some(left);
      parts.push(chunk);
      left -= chunk.length;
    }
    return Buffer.concat(parts);
  }

  /** At least one byte, and so many at most. */
  private async some(most: number): Promise<Uint8Array> {
    while (this.rest.length === 0) {
      const next = await this.source.next();
      if (next.done) throw this.unexpected('it ends too early');
      this.rest = next.value;
    }
    const chunk = this.rest.subarray(0, most);
    this.rest = this.rest.subarray(chunk.length);
    return chunk;
  }
}
