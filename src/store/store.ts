import type { Secret } from '../secrets/secret';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z, type ZodType } from 'zod';
import { keys } from './keys';

/** `store:` of portolan.yaml. */
export type StoreConfig = LocalStoreConfig | S3StoreConfig;

interface LocalStoreConfig extends AnyStoreConfig {
  readonly type: 'local';
  /** Folder; relative ones are relative to the configuration file and made absolute when it is read. */
  readonly path: string;
}

export interface S3StoreConfig extends AnyStoreConfig {
  readonly type: 's3';
  readonly bucket: string;
  /** Prefix of every key: empty, or ending in a slash. */
  readonly prefix: string;
  /** Base URL of a server that is not Amazon's. */
  readonly endpoint?: string;
  /** @default what AWS's own settings say, else `us-east-1` where there is an endpoint */
  readonly region?: string;
  /** @default AWS's own chain: environment, profiles, the machine's role */
  readonly credentials?: { readonly accessKeyId: Secret; readonly secretAccessKey: Secret };
}

interface AnyStoreConfig {
  /** Client-side encryption. */
  readonly encryption?: { readonly key: Secret };
}

/**
 * Where packages, manifests and run records lie. Keys are relative paths with `/`, such as
 * `runs/sync-…/record.json`. Everything is written so that a reader sees the old content or the new, never half.
 *
 * Any of it throws STORE_UNREACHABLE, STORE_DENIED, STORE_MISSING or STORE_BROKEN, and NO_SPACE where it writes.
 */
export interface Store {
  /** Location of this store, for people. */
  readonly where: string;
  /** Writes, reads, lists and removes a small test file. Throws the error, naming the missing right. */
  check(): Promise<void>;
  /** @returns the value, or undefined where nothing lies under the key; throws STORE_BROKEN on unreadable content. */
  readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined>;
  writeJson(key: string, value: unknown): Promise<void>;
  /** All keys under a prefix, which ends in `/` or is empty, in order of their names. */
  list(prefix: string): AsyncGenerator<string>;
  /** Entries directly under a prefix that ends in `/`, without the prefix, in no order: a folder is one name. */
  names(prefix: string): Promise<string[]>;
  /** Removes a key, or everything under a prefix that ends in `/`. Removing what is not there is no error. */
  remove(keyOrPrefix: string): Promise<void>;
  /**
   * Opens a file to write, with what an earlier attempt left of it if that lasts. An earlier writer of the same key
   * fails, or does no harm. Close it in the end.
   */
  openPartial(key: string): Promise<PartialFile>;
  /** A finished file, or undefined. */
  openFile(key: string): Promise<StoredFile | undefined>;
  /** Free bytes; undefined if the store has no known limit. */
  room(): Promise<number | undefined>;
}

export interface PartialFile {
  /** Bytes written so far, including those of an earlier attempt. */
  readonly size: number;
  /** Whether a later attempt can continue. If not, an attempt should itself continue after its source broke. */
  readonly lasting: boolean;
  /** Bytes readable from the start, also while writing continues; undefined if none are. */
  readonly readable?: number | undefined;
  /** A readable range, in chunks valid until the next one is requested. */
  pieces?(start: number, end: number): AsyncIterable<Buffer>;
  /** Drops everything. */
  restart(): Promise<void>;
  /**
   * Appends. If the source breaks, what it gave stays; if the store fails, only a restart helps. Resolves with the new
   * size.
   */
  append(source: AsyncIterable<Uint8Array>): Promise<number>;
  /** Makes the file complete under its key. */
  commit(): Promise<void>;
  /** Ends writing. A file that is not complete stays if it is lasting, and is dropped otherwise. Never throws. */
  close(): Promise<void>;
}

export interface StoredFile {
  readonly size: number;
  /** Bytes from `start` up to, not including, `end`. */
  open(start: number, end: number): Readable;
  /** The same range in chunks that the next one may overwrite, to avoid allocating memory for every chunk. */
  pieces?(start: number, end: number): AsyncIterable<Buffer>;
}

/** A store around another one, and its key. Passes on what it does not change. */
export class OuterStore {
  readonly where: string;

  /** @param readKey a key that is not in the store, of at least 32 bytes */
  constructor(
    protected readonly inner: Store,
    protected readonly readKey: () => Promise<Buffer>,
  ) {
    this.where = inner.where;
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

  room(): Promise<number | undefined> {
    return this.inner.room();
  }

  /** A file and its store, for people. */
  protected named(key: string): string {
    return `${key} in ${this.where}`;
  }
}

/** Writes a whole file. @returns its size */
export async function writeFile(
  store: Store,
  key: string,
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = await store.openPartial(key);
  try {
    await file.restart();
    const size = await file.append(source);
    await file.commit();
    return size;
  } finally {
    await file.close();
  }
}

/** Files of the store that are read at a time where many are. */
export const STORE_READS_AT_A_TIME = 16;

/** All keys under a prefix, in order. */
export async function keysUnder(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const key of store.list(prefix)) found.push(key);
  return found;
}

const idNote = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/**
 * Twelve hex digits that identify a store, however it is reached, created on first use. Two concurrent creators both
 * read the last one written.
 */
export async function storeId(store: Store): Promise<string> {
  const there = await store.readJson(keys.storeId, idNote);
  if (there) return there.id;
  await store.writeJson(keys.storeId, { id: randomBytes(6).toString('hex') });
  return (await store.readJson(keys.storeId, idNote))?.id ?? '';
}
