import type { Readable } from 'node:stream';
import type { ZodType } from 'zod';

/**
 * Where packages, manifests and run records lie. Keys are relative paths with `/`, such as
 * `runs/sync-…/record.json`. Everything is written so that a reader sees the old content or the new, never half.
 *
 * Any of it throws STORE_UNREACHABLE, STORE_DENIED, STORE_MISSING or STORE_BROKEN, and NO_SPACE where it writes.
 */
export interface Store {
  /** For people: where this store is. */
  readonly where: string;
  /**
   * Writes, reads, lists and removes a small key of its own. Throws what keeps it from that, in words that name
   * the right which is missing.
   */
  check(): Promise<void>;
  /** @returns the value, or undefined where nothing lies under the key; throws STORE_BROKEN on unreadable content. */
  readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined>;
  writeJson(key: string, value: unknown): Promise<void>;
  /** All keys under a prefix, which ends in `/` or is empty, in order of their names. */
  list(prefix: string): AsyncGenerator<string>;
  /**
   * What lies directly under a prefix that ends in `/`, without the prefix, in no order: a folder of keys is one name,
   * whatever is in it.
   */
  names(prefix: string): Promise<string[]>;
  /** Removes a key, or everything under a prefix that ends in `/`. Removing what is not there is no error. */
  remove(keyOrPrefix: string): Promise<void>;
  /**
   * A file being written, which a later attempt can go on with. Who opens it takes it over: an earlier writer
   * of the same key that is still at it fails, or does no harm.
   */
  openPartial(key: string): Promise<PartialFile>;
  /** A finished file, or undefined. */
  openFile(key: string): Promise<StoredFile | undefined>;
  /**
   * Takes a finished file to another key, where it replaces what is there. A repeat after a move that was done is
   * no error. Throws PACKAGE_MISSING where there is no such file.
   */
  move(from: string, to: string): Promise<void>;
  /** Free bytes, or undefined where the store has no bound that it knows. */
  room(): Promise<number | undefined>;
}

export interface PartialFile {
  /** Bytes that are there, also from an earlier attempt. */
  readonly size: number;
  /**
   * Whether all that was written is there for a later attempt. Where the last of it, up to 8 MB, may not be, an attempt
   * that can go on when its source broke should do so itself.
   */
  readonly lasting: boolean;
  /** The bytes that are there from an earlier attempt, for hashing. */
  open(): Readable;
  /** Bytes from the first on that can be read back, also while more are written; undefined where none can. */
  readonly readable?: number | undefined;
  /** A stretch of what is readable, in pieces of which each stands until the next one is asked for. */
  pieces?(start: number, end: number): AsyncIterable<Buffer>;
  /** Drops what is there. */
  restart(): Promise<void>;
  /** Drops what lies behind the first bytes. An encrypted file drops nothing, or all. */
  cutTo(bytes: number): Promise<void>;
  /** Writes at the end; what was written stays when the source breaks. Resolves with the new size. */
  append(source: AsyncIterable<Uint8Array>): Promise<number>;
  /** Makes the file complete under its key. */
  commit(): Promise<void>;
}

export interface StoredFile {
  readonly size: number;
  /** Bytes from `start` up to, not including, `end`. */
  open(start: number, end: number): Readable;
  /**
   * The same bytes for who is done with each piece before asking for the next, which may overwrite it: no memory is taken
   * and given back for every piece of a package.
   */
  pieces?(start: number, end: number): AsyncIterable<Buffer>;
}
