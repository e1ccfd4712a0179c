import type { ZodType } from 'zod';
import type { S3StoreConfig, PartialFile, Store, StoredFile } from '../store';
import { S3File } from './s3-file';
import type { S3Objects } from './s3-objects';
import { S3Partial } from './s3-partial';
import { checkByUse, parseStored } from '../store-check';

/**
 * A store in a bucket of S3, or of a server that speaks its interface. An object appears under its key when it is
 * complete, which makes every write atomic. Nothing is connected, nor is the library loaded, before it is used.
 */
export class S3Store implements Store {
  readonly where: string;
  private opened: Promise<S3Objects> | undefined;

  constructor(private readonly config: S3StoreConfig) {
    this.where = `s3://${config.bucket}/${config.prefix}`.replace(/\/$/, '');
  }

  check(): Promise<void> {
    return checkByUse(this);
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const text = await (await this.objects()).text(key);
    return text === undefined ? undefined : parseStored(text, schema, `${key} in ${this.where}`);
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    await (await this.objects()).put(key, Buffer.from(JSON.stringify(value)));
  }

  async *list(prefix: string): AsyncGenerator<string> {
    yield* (await this.objects()).list(prefix);
  }

  async names(prefix: string): Promise<string[]> {
    return await (await this.objects()).names(prefix);
  }

  async remove(keyOrPrefix: string): Promise<void> {
    const objects = await this.objects();
    // First, so that an earlier writer completes nothing.
    await objects.abortUploads(keyOrPrefix);
    await (keyOrPrefix.endsWith('/') ? objects.deleteAll(keyOrPrefix) : objects.delete(keyOrPrefix));
  }

  async openPartial(key: string): Promise<PartialFile> {
    const objects = await this.objects();
    await objects.abortUploads(key);
    return new S3Partial(objects, key);
  }

  async openFile(key: string): Promise<StoredFile | undefined> {
    const objects = await this.objects();
    const found = await objects.head(key);
    return found && new S3File(objects, key, found);
  }

  /** A bucket has no bound. */
  room(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private objects(): Promise<S3Objects> {
    this.opened ??= import('./s3-objects.js').then((library) => new library.S3Objects(this.config));
    return this.opened;
  }
}
