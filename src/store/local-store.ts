import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readFile, readdir, rename, rm, stat, statfs, truncate } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ZodType } from 'zod';
import { PortolanError } from '../model/errors';
import type { PartialFile, Store, StoredFile } from './store';

/** Packages hold the content of whole groups: nobody but the owner of the process reads them. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Read at a time from a package: the usual 64 KB cost an upload twice the work for no less memory. @format bytes */
const READ_BYTES = 512 * 1024;

/** A store in a folder of this machine. Writes go to a file beside and are renamed into place. */
export class LocalStore implements Store {
  readonly where: string;

  constructor(root: string) {
    this.where = path.resolve(root);
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const text = await readFile(this.fileOf(key), 'utf8').catch(absent);
    if (text === undefined) return undefined;
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      throw new PortolanError(
        'STORE_BROKEN',
        `${key} in ${this.where} is not what Portolan writes there`,
        {},
        { cause },
      );
    }
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    const file = await this.prepare(key);
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    await guardSpace(this.where, async () => {
      const handle = await open(draft, 'w', FILE_MODE);
      try {
        await handle.writeFile(JSON.stringify(value));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    }).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const folder = this.fileOf(prefix);
    const entries = (await readdir(folder, { withFileTypes: true, recursive: true }).catch(absent)) ?? [];
    const files = entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp') && !entry.name.endsWith('.part'))
      .map((entry) =>
        path.relative(this.where, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'),
      );
    yield* files.sort();
  }

  async remove(keyOrPrefix: string): Promise<void> {
    const file = this.fileOf(keyOrPrefix);
    await rm(file, { recursive: keyOrPrefix.endsWith('/'), force: true });
    if (!keyOrPrefix.endsWith('/')) await rm(`${file}.part`, { force: true });
  }

  async openPartial(key: string): Promise<PartialFile> {
    const file = await this.prepare(key);
    const part = `${file}.part`;
    const size = (await stat(part).catch(absent))?.size ?? 0;
    return new LocalPartial(this.where, part, file, size);
  }

  async openFile(key: string): Promise<StoredFile | undefined> {
    const file = this.fileOf(key);
    const found = await stat(file).catch(absent);
    if (!found) return undefined;
    return {
      size: found.size,
      // createReadStream takes an inclusive end, and rejects one before the start.
      open: (start, end) =>
        end > start
          ? createReadStream(file, { start, end: end - 1, highWaterMark: READ_BYTES })
          : Readable.from([]),
    };
  }

  async move(from: string, to: string): Promise<void> {
    const file = await this.prepare(to);
    await rename(this.fileOf(from), file).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || !(await stat(file).catch(absent))) throw error;
    });
  }

  async room(): Promise<number | undefined> {
    await mkdir(this.where, { recursive: true, mode: FOLDER_MODE });
    const disk = await statfs(this.where);
    return disk.bavail * disk.bsize;
  }

  private fileOf(key: string): string {
    const file = path.resolve(this.where, key);
    if (file !== this.where && !file.startsWith(this.where + path.sep)) {
      throw new PortolanError('INTERNAL', `the key ${key} leaves the store`);
    }
    return file;
  }

  private async prepare(key: string): Promise<string> {
    const file = this.fileOf(key);
    await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE });
    return file;
  }
}

class LocalPartial implements PartialFile {
  constructor(
    private readonly where: string,
    private readonly part: string,
    private readonly file: string,
    public size: number,
  ) {}

  open(): Readable {
    return this.size > 0
      ? createReadStream(this.part, { end: this.size - 1, highWaterMark: READ_BYTES })
      : Readable.from([]);
  }

  async restart(): Promise<void> {
    if (this.size > 0) await truncate(this.part, 0);
    this.size = 0;
  }

  async append(source: AsyncIterable<Uint8Array>): Promise<number> {
    const sink = createWriteStream(this.part, { flags: 'a', mode: FILE_MODE });
    try {
      await guardSpace(this.where, () => pipeline(source, sink));
    } finally {
      this.size = (await stat(this.part).catch(absent))?.size ?? 0;
    }
    return this.size;
  }

  async commit(): Promise<void> {
    const handle = await open(this.part, 'a', FILE_MODE);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(this.part, FILE_MODE);
    await rename(this.part, this.file);
  }
}

const absent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

async function guardSpace(where: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new PortolanError('NO_SPACE', `no room left in the store at ${where}`, {}, { cause });
    }
    throw cause;
  }
}
