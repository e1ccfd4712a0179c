import type { Readable } from 'node:stream';
import type { ZodType } from 'zod';

/**
 * Where packages, manifests and run records lie. Keys are relative paths with `/`, such as
 * `runs/sync-…/record.json`. Everything is written so that a reader sees the old content or the new, never half.
 */
export interface Store {
  /** For people: where this store is. */
  readonly where: string;
  /** @returns the value, or undefined where nothing lies under the key; throws STORE_BROKEN on unreadable content. */
  readJson<T>(key: string, schema: ZodType<T>): Promise<T | undefined>;
  writeJson(key: string, value: unknown): Promise<void>;
  /** All keys under a prefix, in order of their names. */
  list(prefix: string): AsyncGenerator<string>;
  /** Removes a key, or everything under a prefix that ends in `/`. Removing what is not there is no error. */
  remove(keyOrPrefix: string): Promise<void>;
  /** A file being written, which a later attempt can go on with. */
  openPartial(key: string): Promise<PartialFile>;
  /** A finished file, or undefined. */
  openFile(key: string): Promise<StoredFile | undefined>;
  /** Takes a finished file to another key, where it replaces what is there. A repeat after a move that was done is no error. */
  move(from: string, to: string): Promise<void>;
  /** Free bytes, or undefined where the store cannot tell. */
  room(): Promise<number | undefined>;
}

export interface PartialFile {
  /** Bytes that are there from an earlier attempt. */
  readonly size: number;
  /** The bytes that are there, for hashing. */
  open(): Readable;
  /** Drops what is there. */
  restart(): Promise<void>;
  /** Writes at the end; what was written stays when the source breaks. Resolves with the new size. */
  append(source: AsyncIterable<Uint8Array>): Promise<number>;
  /** Makes the file complete under its key. */
  commit(): Promise<void>;
}

export interface StoredFile {
  readonly size: number;
  /** Bytes from `start` up to, not including, `end`. */
  open(start: number, end: number): Readable;
}
