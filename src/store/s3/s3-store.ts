import type { ZodType } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { S3StoreConfig } from '../store-config';
import type { S3Bucket } from './s3-bucket';
import { s3Copy } from './s3-copy';
import { S3File } from './s3-file';
import { S3Partial } from './s3-partial';
import { draftsOf, holdsPieces, isPiece } from './s3-uploads';
import { parseStored } from '../stored-json';
import { checkByUse } from '../store-check';
import type { PartialFile, Store, StoredFile } from '../store';

/**
 * A store in a bucket of S3, or of a server that speaks its interface. An object appears under its key when it is
 * complete, which makes every write atomic. Nothing is connected, nor is the library loaded, before it is used.
 */
export class S3Store implements Store {
  readonly where: string;
  private opened: Promise<S3Bucket> | undefined;

  constructor(private readonly config: S3StoreConfig) {
    this.where = `s3://${config.bucket}/${config.prefix}`.replace(/\/$/, '');
  }

  check(): Promise<void> {
    return checkByUse(this);
  }

  async readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    const { objects } = await this.bucket();
    const text = await objects.text(key);
    return text === undefined ? undefined : parseStored(text, schema, `${key} in ${this.where}`);
  }

  async writeJson(key: string, value: unknown): Promise<void> {
    const { objects } = await this.bucket();
    await objects.put(key, Buffer.from(JSON.stringify(value)));
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const { objects } = await this.bucket();
    for await (const key of objects.list(prefix)) if (!isPiece(key)) yield key;
  }

  async names(prefix: string): Promise<string[]> {
    const { objects } = await this.bucket();
    return (await objects.names(prefix)).filter((name) => !holdsPieces(name));
  }

  async remove(keyOrPrefix: string): Promise<void> {
    const { objects, uploads } = await this.bucket();
    const whole = keyOrPrefix.endsWith('/');
    if (!whole) await objects.delete(keyOrPrefix);
    // A writer that is still at it makes no more pieces once its uploads are ended.
    await uploads.abortAll(keyOrPrefix);
    const below = whole ? keyOrPrefix : draftsOf(keyOrPrefix);
    // Some servers list the uploads of a whole key alone.
    for await (const key of objects.list(below)) if (isPiece(key)) await uploads.abortAll(key);
    await objects.deleteAll(below);
  }

  async openPartial(key: string): Promise<PartialFile> {
    return await S3Partial.takeOver(await this.bucket(), key);
  }

  async openFile(key: string): Promise<StoredFile | undefined> {
    const { objects } = await this.bucket();
    const found = await objects.head(key);
    return found && new S3File(objects, key, found);
  }

  async move(from: string, to: string): Promise<void> {
    const bucket = await this.bucket();
    if (await s3Copy(bucket, from, to)) return await bucket.objects.delete(from);
    if (await bucket.objects.head(to)) return;
    throw new PortolanError('PACKAGE_MISSING', `${from} is missing from ${this.where}`);
  }

  /** A bucket has no bound. */
  room(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private bucket(): Promise<S3Bucket> {
    this.opened ??= import('./s3-bucket.js').then(({ openBucket }) => openBucket(this.config));
    return this.opened;
  }
}
