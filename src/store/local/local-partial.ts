import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { absent, FILE_MODE, guarded, piecesOf, renameForGood } from './local-files';
import type { PartialFile } from '../store';

/** Buffered data not written yet. @format bytes */
const WRITE_BYTES = 512 * 1024;
/** Flushed to disk at a time during the transfer, so that little is left at the end. @format bytes */
const FLUSH_BYTES = 64 * 1024 ** 2;

/** Name of an incomplete file: the writer's ID, then the file's own name. */
const PART = /^(.+)\.[0-9a-f]{12}\.part$/;

/**
 * An incomplete file, next to its final place. Each writer renames it to its own name, so an earlier writer no
 * longer finds it. An earlier writer with an open handle writes at its own offsets, so two writers of the same bytes
 * do no harm.
 */
export class LocalPartial implements PartialFile {
  readonly lasting = true;

  private sink: WriteStream | undefined;

  private constructor(
    private readonly where: string,
    private readonly part: string,
    private readonly file: string,
    public size: number,
  ) {}

  /** Takes over an earlier attempt, or starts. @param where the store's folder, for messages */
  static async takeOver(file: string, where: string): Promise<LocalPartial> {
    const part = `${file}.${randomBytes(6).toString('hex')}.part`;
    const [left, ...more] = await LocalPartial.partsOf(file);
    if (left === undefined) await create(part);
    else await rename(left, part);
    for (const other of more) await rm(other, { force: true });
    return new LocalPartial(where, part, file, (await stat(part)).size);
  }

  /** Files left by earlier attempts. */
  static async partsOf(file: string): Promise<string[]> {
    const folder = path.dirname(file);
    const names = (await readdir(folder).catch(absent)) ?? [];
    return names
      .filter((name) => PART.exec(name)?.[1] === path.basename(file))
      .map((name) => path.join(folder, name));
  }

  get readable(): number {
    return this.size + (this.sink?.bytesWritten ?? 0);
  }

  pieces(start: number, end: number): AsyncIterable<Buffer> {
    return piecesOf(this.part, start, end);
  }

  async restart(): Promise<void> {
    // A new file, because an earlier writer may still write to the old one.
    await guarded(this.where, async () => {
      await rm(this.part, { force: true });
      await create(this.part);
    });
    this.size = 0;
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    const broken: unknown[] = [];
    await guarded(this.where, async () => {
      const flushes = new Flushes(await open(this.part));
      // Data that arrives during a write is written with one call.
      const options = { flags: 'r+', start: this.size, highWaterMark: WRITE_BYTES };
      const sink = (this.sink = createWriteStream(this.part, options));
      async function* untilItBreaks(): AsyncGenerator<Uint8Array> {
        try {
          for await (const chunk of source) {
            yield chunk;
            flushes.wrote(chunk.length);
          }
        } catch (thrown) {
          broken.push(thrown);
        }
      }
      try {
        await pipeline(untilItBreaks, sink);
      } finally {
        this.size += sink.bytesWritten;
        this.sink = undefined;
        await flushes.done();
      }
    });
    if (broken.length > 0) throw broken[0];
    return this.size;
  }

  async commit(): Promise<void> {
    await guarded(this.where, async () => {
      const handle = await open(this.part, 'r+');
      try {
        await handle.truncate(this.size);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await renameForGood(this.part, this.file);
    });
  }

  async close(): Promise<void> {
    // It stays for a later attempt.
  }
}

async function create(part: string): Promise<void> {
  await (await open(part, 'wx', FILE_MODE)).close();
}

/** Flushes in the background. */
class Flushes {
  private unflushed = 0;
  private underWay: Promise<void> | undefined;
  private fault: { readonly thrown: unknown } | undefined;

  constructor(private readonly handle: FileHandle) {}

  wrote(bytes: number): void {
    this.unflushed += bytes;
    if (this.unflushed < FLUSH_BYTES || this.underWay) return;
    this.unflushed = 0;
    this.underWay = this.handle
      .datasync()
      .catch((thrown: unknown) => {
        // The system reports an error once; a later flush may succeed.
        this.fault = { thrown };
      })
      .finally(() => {
        this.underWay = undefined;
      });
  }

  /** Waits for the flush. Throws what could not be written. */
  async done(): Promise<void> {
    await this.underWay;
    await this.handle.close();
    if (this.fault) throw this.fault.thrown;
  }
}
