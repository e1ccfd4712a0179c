import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { diskFull } from '../errors';
import type { DataRef, ItemRecord } from './records';

/** @format bytes */
export const inlineBelow = 1024;

/** Files of a simulated portal: item data, upload parts, resources, features of hosted layers. */
export class Files {
  readonly incoming: string;

  /** @param capacity limit for files of items, in bytes */
  constructor(
    private readonly root: string,
    private readonly capacity: () => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.incoming = join(root, 'incoming');
    // Uploads no handler took before the last stop are useless.
    rmSync(this.incoming, { recursive: true, force: true });
    mkdirSync(this.incoming, { recursive: true });
  }

  private get items(): string {
    return join(this.root, 'items');
  }

  dataPath(itemId: string): string {
    return join(this.items, itemId, 'data');
  }

  resourcePath(itemId: string, resource: string): string {
    // A resource's path may contain slashes and must not lead elsewhere, so it becomes one file name.
    return join(this.items, itemId, 'resources', encodeURIComponent(resource));
  }

  thumbnailPath(itemId: string): string {
    return join(this.items, itemId, 'thumbnail');
  }

  partPath(itemId: string, part: number): string {
    return join(this.items, itemId, 'parts', String(part));
  }

  featuresPath(itemId: string, layerId: number): string {
    return join(this.items, itemId, 'features', `${layerId}.ndjson`);
  }

  /** Stores the data of an item; small data needs no file. */
  async keepData(
    itemId: string,
    content: Buffer | Readable,
    size: number,
  ): Promise<{ size: number; data: DataRef }> {
    if (size > inlineBelow)
      return { size: await this.write(this.dataPath(itemId), content), data: { kind: 'file' } };
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    return { size: bytes.length, data: { kind: 'inline', base64: bytes.toString('base64') } };
  }

  async write(path: string, content: string | Buffer | Readable): Promise<number> {
    await mkdir(join(path, '..'), { recursive: true });
    const fresh = `${path}.new`;
    if (content instanceof Readable) await pipeline(content, createWriteStream(fresh));
    else await writeFile(fresh, content);
    return await this.place(fresh, path);
  }

  /** Moves an uploaded file to its place. @returns its size in bytes */
  async adopt(incoming: string, path: string): Promise<number> {
    await mkdir(join(path, '..'), { recursive: true });
    const fresh = `${path}.new`;
    await rename(incoming, fresh);
    return await this.place(fresh, path);
  }

  /** Total size of all items' files. @format bytes */
  async used(): Promise<number> {
    const entries = await readdir(this.items, { recursive: true, withFileTypes: true }).catch(() => []);
    const sizes = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        stat(join(parentPath, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /** Moves a new file to its place. @returns its size in bytes @throws PortalFault 500 on a full disk */
  private async place(fresh: string, path: string): Promise<number> {
    if (Number.isFinite(this.capacity()) && (await this.used()) > this.capacity()) {
      await rm(fresh, { force: true });
      throw diskFull();
    }
    await rename(fresh, path);
    return (await stat(path)).size;
  }

  /** Bytes of an item's data from `start` to `end` (exclusive). */
  readData(item: ItemRecord, start = 0, end = item.size): Readable {
    if (!item.data || end <= start) return Readable.from([]);
    switch (item.data.kind) {
      case 'file':
        return createReadStream(this.dataPath(item.id), { start, end: end - 1, highWaterMark: 1024 * 1024 });
      case 'inline':
        return Readable.from([Buffer.from(item.data.base64, 'base64').subarray(start, end)]);
      case 'generated':
        return generatedStream(item.data.seed, start, end);
    }
  }

  async readText(path: string): Promise<string | undefined> {
    return readFile(path, 'utf8').catch(() => undefined);
  }

  async parts(itemId: string): Promise<number[]> {
    const names = await readdir(join(this.items, itemId, 'parts')).catch(() => []);
    return names
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** Sizes of the parts, in order. @format bytes */
  async partSizes(itemId: string): Promise<number[]> {
    const parts = await this.parts(itemId);
    return Promise.all(parts.map(async (part) => (await stat(this.partPath(itemId, part))).size));
  }

  /** Joins the parts of an upload, in order, into the item's data. @returns its size; undefined if it stopped because `isOver` */
  async joinParts(itemId: string, isOver: () => boolean): Promise<number | undefined> {
    const parts = await this.parts(itemId);
    const path = this.dataPath(itemId);
    const fresh = `${path}.joining`;
    await writeFile(fresh, '');
    for (const part of parts) {
      const from = createReadStream(this.partPath(itemId, part), { highWaterMark: 1024 * 1024 });
      await pipeline(from, createWriteStream(fresh, { flags: 'a' }));
      if (isOver()) return undefined;
    }
    return await this.place(fresh, path);
  }

  async dropParts(itemId: string): Promise<void> {
    await rm(join(this.items, itemId, 'parts'), { recursive: true, force: true });
  }

  async dropItem(itemId: string): Promise<void> {
    await rm(join(this.items, itemId), { recursive: true, force: true });
  }
}

const blockBytes = 1024 * 1024;

/** A block of incompressible bytes, always the same for a seed (xorshift). */
function block(seed: number): Buffer {
  const buffer = Buffer.allocUnsafe(blockBytes);
  let state = (seed >>> 0) + 0x9e3779b9 || 1;
  for (let offset = 0; offset < blockBytes; offset += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    buffer.writeInt32LE(state | 0, offset);
  }
  return buffer;
}

const blocks = new Map<number, Buffer>();

function blockOf(seed: number): Buffer {
  const known = blocks.get(seed);
  if (known) return known;
  const made = block(seed);
  blocks.set(seed, made);
  return made;
}

/**
 * Bytes `start` to `end` (exclusive) of an endless file that depends only on the seed and needs no disk: one pseudo-random
 * block repeated, whose first eight bytes are the block's number.
 */
export function generatedStream(seed: number, start: number, end: number): Readable {
  const pattern = blockOf(seed);
  let position = start;
  return new Readable({
    highWaterMark: blockBytes,
    read() {
      if (position >= end) {
        this.push(null);
        return;
      }
      const number = Math.floor(position / blockBytes);
      const from = position - number * blockBytes;
      const length = Math.min(blockBytes - from, end - position);
      position += length;
      const bytes = Buffer.from(pattern);
      bytes.writeBigUInt64LE(BigInt(number), 0);
      this.push(bytes.subarray(from, from + length));
    },
  });
}
