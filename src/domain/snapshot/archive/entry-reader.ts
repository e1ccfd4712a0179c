import { createHash } from 'node:crypto';
import { z, type ZodType } from 'zod';
import { PortolanError } from '../../../model/errors/errors';
import { entryNames, type ListedEntry, type SnapshotHead, snapshotHead } from './snapshot-file';
import { type SortOfArchive, takeAnew } from './seal';
import { readTarHeader, TAR_BLOCK, tarPadding } from './tar';

/** Ids that become keys of the store. */
export const safeId = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$/;

/** Reads the entries of a tar archive one after the other, in bounded memory. */
export class EntryReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array();
  private folder = '';

  constructor(
    private readonly file: string,
    source: AsyncIterable<Uint8Array>,
    private readonly sort: SortOfArchive,
  ) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** From here on the entries lie in a folder, and are named without it. @param folder with `/` at its end */
  enter(folder: string): void {
    this.folder = folder;
  }

  async snapshotHead(newest: number): Promise<SnapshotHead> {
    const head = await this.head(entryNames.head, newest, snapshotHead);
    if (!safeId.test(head.manifest.id)) throw this.unexpected(head.manifest.id);
    return head;
  }

  /** An entry that tells its form and what follows it. */
  async head<T>(name: string, newest: number, schema: ZodType<T>): Promise<T> {
    const entry = readTarHeader(await this.take(TAR_BLOCK));
    if (entry?.name !== this.folder + name) throw this.otherFile(entry?.name);
    const text = (await this.take(entry.size)).toString();
    await this.take(tarPadding(entry.size).length);
    const { format } = this.parse(entry.name, text, z.object({ format: z.number() }));
    this.requireKnown(format, newest);
    return this.parse(entry.name, text, schema);
  }

  /** Throws the sort's code for a newer one where a form is not read here. */
  requireKnown(format: number, newest: number): void {
    if (format > newest)
      throw new PortolanError(
        this.sort.newer,
        `${this.file} has format ${format}; this version of Portolan reads up to ${newest}`,
      );
  }

  async json<T>(entry: ListedEntry, schema: ZodType<T>): Promise<T> {
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
  async *bytes({ name, sizeBytes, sha256 }: ListedEntry): AsyncGenerator<Uint8Array> {
    const header = readTarHeader(await this.take(TAR_BLOCK));
    if (header?.name !== this.folder + name || header.size !== sizeBytes)
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

  /** Goes over the next entries, which are to be what they are listed as. */
  async pass(entries: readonly ListedEntry[]): Promise<void> {
    for (const entry of entries) for await (const _ of this.bytes(entry));
  }

  async end(): Promise<void> {
    if (this.rest.length > 0 || !(await this.source.next()).done) throw this.unexpected('one entry too many');
  }

  async close(): Promise<void> {
    await this.source.return?.();
  }

  /** A file that was signed and is not as it should be was made by somebody else than Portolan. */
  unexpected(what: string): PortolanError {
    return new PortolanError(this.sort.altered, `${this.file} is not a valid Portolan file: ${what}`, {
      hint: takeAnew,
    });
  }

  private otherFile(first: string | undefined): PortolanError {
    const other = this.sort.what === 'release' ? 'snapshot' : 'release';
    if (this.folder !== '' || first !== `${other}.json`) return this.unexpected(first ?? 'no header');
    return new PortolanError('USAGE', `${this.file} contains a ${other}, not a ${this.sort.what}`, {
      hint: `Import it with: portolan ${other} import FILE --trust PUBLIC_KEY`,
    });
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
