import type { ZodType } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import type { S3StoreConfig } from '../store-config';
import type { S3Bucket } from './s3-bucket';
import { S3File } from './s3-file';
import { S3Partial } from './s3-partial';
import { parseStored } from '../stored-json';
import { checkByUse } from '../store-check';
import type { PartialFile, Store, StoredFile } from '../store';

/** Above that a copy goes in parts: one request copies 5 GB at most, and a long one looks like a dead connection. */
const WHOLE_BYTES_MAX = 1024 ** 3;
/** @format bytes */
const PART_BYTES = 512 * 1024 ** 2;
const PARTS_AT_A_TIME = 4;

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
    yield* objects.list(prefix);
  }

  async names(prefix: string): Promise<string[]> {
    const { objects } = await this.bucket();
    return await objects.names(prefix);
  }

  async remove(keyOrPrefix: string): Promise<void> {
    const { objects, uploads } = await this.bucket();
    if (keyOrPrefix.endsWith('/')) await objects.deleteAll(keyOrPrefix);
    else await objects.delete(keyOrPrefix);
    await uploads.abortAll(keyOrPrefix);
  }

  async openPartial(key: string): Promise<PartialFile> {
    const { objects, uploads } = await this.bucket();
    await uploads.abortAll(key);
    return new S3Partial(objects, uploads, key);
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
    throw new PortolanError('PACKAGE_MISSING', `${from} is gone from ${this.where}`);
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

/** Copies within the bucket, without a byte coming here. @returns whether there was something to copy */
async function s3Copy({ objects, uploads }: S3Bucket, from: string, to: string): Promise<boolean> {
  const size = (await objects.head(from))?.size;
  if (size === undefined) return false;
  if (size <= WHOLE_BYTES_MAX) return await objects.copy(from, to);
  const upload = await uploads.begin(to, 'object');
  const indices = Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, index) => index);
  try {
    const parts = await mapLimited(indices, PARTS_AT_A_TIME, async (index) => {
      const start = index * PART_BYTES;
      const range = { start, end: Math.min(size, start + PART_BYTES) };
      return await uploads.copy(upload, index + 1, from, range);
    });
    await uploads.complete(upload, parts);
    return true;
  } catch (thrown) {
    await uploads.abort(upload).catch(() => {});
    throw thrown;
  }
}
