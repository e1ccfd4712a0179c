import type { ZodType } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { isAuthentic } from '../keys';
import type { PartialFile, Store, StoredFile } from '../store';
import { AuthenticFiles, type ReadKey, type SortOfFiles } from './authentic-files';

const notes: SortOfFiles = {
  format: 1,
  label: 'portolan notes',
  altered: 'NOTE_ALTERED',
  newer: 'NOTE_ALTERED',
};

const altered: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['NOTE_ALTERED', 'SNAPSHOT_ALTERED']);

/** Whether an altered file was found; an encrypted store detects this itself. */
export const isAltered = (thrown: unknown): boolean => altered.has(PortolanError.from(thrown).code);

/**
 * Signs state files of another store with the store's key, so that others who can write there cannot create or alter
 * one, or move one between runs. `isAuthentic` selects the files. A file without a valid signature is refused with
 * NOTE_ALTERED.
 */
export class AuthenticStore implements Store {
  readonly where: string;
  private readonly files: AuthenticFiles;
  private key: Promise<Buffer> | undefined;

  /** @param readKey the key of the store; it is read once */
  constructor(
    private readonly inner: Store,
    private readonly readKey: ReadKey,
  ) {
    this.where = inner.where;
    this.files = new AuthenticFiles(inner, () => this.sameKey(), notes);
  }

  /** Also checks that the store's key can be read. */
  async check(): Promise<void> {
    await this.inner.check();
    await this.sameKey();
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    return await (isAuthentic(key) ? this.files.read(key, schema) : this.inner.readJson(key, schema));
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    await (isAuthentic(key) ? this.files.write(key, value) : this.inner.writeJson(key, value));
  }

  list(prefix: string): AsyncGenerator<string> {
    return this.inner.list(prefix);
  }

  names(prefix: string): Promise<string[]> {
    return this.inner.names(prefix);
  }

  remove(keyOrPrefix: string): Promise<void> {
    return this.inner.remove(keyOrPrefix);
  }

  openPartial(key: string): Promise<PartialFile> {
    return this.inner.openPartial(key);
  }

  openFile(key: string): Promise<StoredFile | undefined> {
    return this.inner.openFile(key);
  }

  move(from: string, to: string): Promise<void> {
    return this.inner.move(from, to);
  }

  room(): Promise<number | undefined> {
    return this.inner.room();
  }

  private async sameKey(): Promise<Buffer> {
    const reading = (this.key ??= this.readKey());
    try {
      return await reading;
    } catch (thrown) {
      // An unreadable secret may be readable next time.
      if (this.key === reading) this.key = undefined;
      throw thrown;
    }
  }
}
