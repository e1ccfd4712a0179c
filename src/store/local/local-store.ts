import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ZodType } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import {
  absent,
  FILE_MODE,
  guarded,
  localFault,
  makeFolder,
  piecesOf,
  READ_BYTES,
  renameForGood,
} from './local-files';
import { LocalPartial } from './local-partial';
import { checkByUse, parseStored } from '../store-check';
import type { PartialFile, Store, StoredFile } from '../store';

/** Incomplete files. */
const isDraft = (name: string): boolean => name.endsWith('.tmp') || name.endsWith('.part');

/** A store in a local folder. Files are written under a temporary name and renamed. */
export class LocalStore implements Store {
  readonly where: string;

  constructor(root: string) {
    this.where = path.resolve(root);
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const text = await this.guard(() => readFile(this.fileOf(key), 'utf8').catch(absent));
    return text === undefined ? undefined : parseStored(text, schema, `${key} in ${this.where}`);
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    const file = await this.prepare(key);
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    await this.guard(async () => {
      const handle = await open(draft, 'w', FILE_MODE);
      try {
        await handle.writeFile(JSON.stringify(value));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await renameForGood(draft, file);
    }).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const folder = this.fileOf(prefix);
    const entries =
      (await this.guard(() => readdir(folder, { withFileTypes: true, recursive: true }).catch(absent))) ?? [];
    const files = entries
      .filter((entry) => entry.isFile() && !isDraft(entry.name))
      .map((entry) =>
        path.relative(this.where, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'),
      );
    yield* files.sort();
  }

  async names(prefix: string): Promise<string[]> {
    const folder = this.fileOf(prefix);
    const entries = (await this.guard(() => readdir(folder, { withFileTypes: true }).catch(absent))) ?? [];
    return entries.filter((entry) => entry.isDirectory() || !isDraft(entry.name)).map(({ name }) => name);
  }

  async remove(keyOrPrefix: string): Promise<void> {
    const file = this.fileOf(keyOrPrefix);
    const whole = keyOrPrefix.endsWith('/');
    await this.guard(async () => {
      await rm(file, { recursive: whole, force: true });
      if (!whole) for (const part of await LocalPartial.partsOf(file)) await rm(part, { force: true });
    });
  }

  async openPartial(key: string): Promise<PartialFile> {
    const file = await this.prepare(key);
    return await this.guard(() => LocalPartial.takeOver(file, this.where));
  }

  async openFile(key: string): Promise<StoredFile | undefined> {
    const file = this.fileOf(key);
    const found = await this.guard(() => stat(file).catch(absent));
    if (!found) return undefined;
    return {
      size: found.size,
      // createReadStream takes an inclusive end, and rejects one before the start.
      open: (start, end) =>
        end > start
          ? createReadStream(file, { start, end: end - 1, highWaterMark: READ_BYTES })
          : Readable.from([]),
      pieces: (start, end) => piecesOf(file, start, end),
    };
  }

  async room(): Promise<number | undefined> {
    await this.makeFolder(this.where);
    const disk = await this.guard(() => statfs(this.where));
    return disk.bavail * disk.bsize;
  }

  async check(): Promise<void> {
    await this.makeFolder(this.where);
    await checkByUse(this);
  }

  private fileOf(key: string): string {
    const file = path.resolve(this.where, key);
    if (file !== this.where && !file.startsWith(this.where + path.sep)) {
      throw new PortolanError('INTERNAL', `the key ${key} is outside the store`);
    }
    return file;
  }

  private async prepare(key: string): Promise<string> {
    const file = this.fileOf(key);
    await this.makeFolder(path.dirname(file));
    return file;
  }

  private async makeFolder(folder: string): Promise<void> {
    await makeFolder(folder, this.where).catch((error: NodeJS.ErrnoException) => {
      const fault = localFault(error, this.where);
      if (PortolanError.is(fault, 'NO_SPACE')) throw fault;
      throw new PortolanError('STORE_MISSING', `cannot create folder ${folder} (${error.code})`);
    });
  }

  private guard<T>(work: () => Promise<T>): Promise<T> {
    return guarded(this.where, work);
  }
}
