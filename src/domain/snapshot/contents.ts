import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { NamedPackage, SnapshotManifest, SnapshotRow } from '../../model/snapshot/snapshot';
import { placement } from '../../model/transfer/placement';
import { keys } from '../../store/keys';
import { type Store, writeFile } from '../../store/store';
import { type ItemContent, itemContent } from '../change/item-content';
import { sha256Of } from './hashing';

/*
 * The JSON of items, many in one compressed file, because one alone compresses badly and costs a request to a bucket.
 * Each line is an item: its ID, what tells its standing from others, and `keptItem`. A snapshot names the files that its
 * items need, also those of earlier snapshots, as it names packages.
 */

/** What a snapshot keeps of an item besides its package. */
export const keptItem = z.object({
  content: itemContent,
  /** How it stood: an import does not carry that. */
  placement: placement.optional(),
});
type KeptItem = z.infer<typeof keptItem>;

/** A new file is begun beyond so much. @format bytes */
const FILE_BYTES = 8 * 1024 ** 2;

/** A longer item is not kept. @format bytes */
const ITEM_BYTES_MAX = 32 * 1024 ** 2;

/** More of it than these are not held in memory; one file always is. @format bytes */
const OPEN_BYTES = 32 * 1024 ** 2;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** An item in a file. */
export interface KeptLine {
  readonly standing: string;
  /** Something of it could not be read. */
  readonly isUnread: boolean;
  /** A `keptItem`. */
  readonly json: string;
}

/** The JSON of an item that a snapshot kept; undefined where it kept none. Throws SNAPSHOT_ALTERED. */
export const contentOf = async (
  { contents }: { readonly contents: Contents },
  manifest: Pick<SnapshotManifest, 'contents'>,
  row: Pick<SnapshotRow, 'itemId' | 'content'>,
): Promise<ItemContent | undefined> => (await contents.find(manifest, row))?.content;

/** The file in which the JSON of an item lies, if it was kept. */
export const contentsFileOf = (
  { contents = [] }: Pick<SnapshotManifest, 'contents'>,
  { content = 0 }: Pick<SnapshotRow, 'content'>,
): NamedPackage | undefined => contents[content];

/** The JSON of items in a store. Files that were read lately are held, since items of one file are read together. */
export class Contents {
  readonly #open = new Map<string, ContentsFile>();

  constructor(private readonly store: Store) {}

  async find(
    manifest: Pick<SnapshotManifest, 'contents'>,
    row: Pick<SnapshotRow, 'itemId' | 'content'>,
  ): Promise<KeptItem | undefined> {
    const named = contentsFileOf(manifest, row);
    const line = named && (await this.open(named)).line(row.itemId);
    return line && keptItem.parse(JSON.parse(line.json));
  }

  /** Throws SNAPSHOT_ALTERED if it is not what a snapshot has named. */
  async open(named: NamedPackage): Promise<ContentsFile> {
    const { key, sha256 } = named;
    const id = `${sha256} ${key}`;
    const found = this.#open.get(id) ?? new ContentsFile(await this.#read(named));
    // The one used last is the last to go.
    this.#open.delete(id);
    this.#open.set(id, found);
    let bytes = [...this.#open.values()].reduce((sum, each) => sum + each.sizeBytes, 0);
    for (const [other, { sizeBytes }] of this.#open) {
      if (bytes <= OPEN_BYTES || other === id) break;
      this.#open.delete(other);
      bytes -= sizeBytes;
    }
    return found;
  }

  async #read({ key, sizeBytes, sha256 }: NamedPackage): Promise<Buffer> {
    const altered = (problem: string): PortolanError =>
      new PortolanError('SNAPSHOT_ALTERED', `${key} in ${this.store.where} ${problem}`);
    const file = await this.store.openFile(key);
    if (!file) throw altered('is missing');
    const bytes = file.size === sizeBytes ? await buffer(file.open(0, file.size)) : undefined;
    if (!bytes || sha256Of(bytes) !== sha256) throw altered('was modified');
    return await decompress(bytes, { maxOutputLength: FILE_BYTES + ITEM_BYTES_MAX });
  }
}

const NEW_LINE = 10;

/** One of the files, opened. */
class ContentsFile {
  readonly #lines = new Map<string, readonly [from: number, to: number]>();

  constructor(private readonly bytes: Buffer) {
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(NEW_LINE, from);
      const to = end < 0 ? bytes.length : end;
      this.#lines.set(bytes.toString('utf8', from, bytes.indexOf(' ', from)), [from, to]);
      from = to + 1;
    }
  }

  /** @format bytes */
  get sizeBytes(): number {
    return this.bytes.length;
  }

  line(itemId: string): KeptLine | undefined {
    const found = this.#lines.get(itemId);
    if (!found) return undefined;
    const [, standing = '', mark, json = '{}'] =
      /^\S+ ([^ ?]*)(\??) (.*)$/s.exec(this.bytes.toString('utf8', ...found)) ?? [];
    return { standing, isUnread: mark === '?', json };
  }
}

/** What is kept of an item, as a line of a file. Of one that is too long only its record is kept. */
export function keptLine(standing: string, { content, placement: where }: KeptItem): KeptLine {
  const json = JSON.stringify({ content, placement: where });
  if (json.length < ITEM_BYTES_MAX / 4 || Buffer.byteLength(json) <= ITEM_BYTES_MAX)
    return { standing, isUnread: content.unread !== undefined, json };
  const { id, type, title, owner, modified, size } = content.details;
  const unread = `its JSON is longer than ${ITEM_BYTES_MAX} bytes`;
  return keptLine(standing, {
    content: { details: { id, type, title, owner, modified, size }, unread },
    placement: where,
  });
}

/** Writes the JSON of a snapshot's items. Files are named after their content, so a late attempt replaces none. */
export class ContentsWriter {
  readonly files: NamedPackage[] = [];
  #lines: string[] = [];
  #bytes = 0;
  #writing = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly snapshotId: string,
  ) {}

  /** @returns index of the file that holds it */
  async add(itemId: string, { standing, isUnread, json }: KeptLine): Promise<number> {
    const line = `${itemId} ${standing}${isUnread ? '?' : ''} ${json}\n`;
    const done = this.#writing.then(async () => {
      if (this.#bytes > FILE_BYTES) await this.#write();
      this.#lines.push(line);
      this.#bytes += Buffer.byteLength(line);
      return this.files.length;
    });
    this.#writing = done.then(() => undefined);
    return await done;
  }

  async end(): Promise<void> {
    await this.#writing;
    if (this.#lines.length > 0) await this.#write();
  }

  async #write(): Promise<void> {
    const text = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#bytes = 0;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    };
    const bytes = await compress(text, { params });
    const sha256 = sha256Of(bytes);
    const key = keys.snapshotContents(this.snapshotId, sha256);
    const sizeBytes = await writeFile(this.store, key, Readable.from([bytes]));
    this.files.push({ key, sizeBytes, sha256 });
  }
}
