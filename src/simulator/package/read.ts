import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { badRequest } from '../errors';
import { entryNames, manifest, type Manifest } from './manifest';

/** A package that lies in a file. Only the list of its entries is held in memory. */
export class PackageReader {
  private readonly resources = new Map<string, readonly string[]>();

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    readonly manifest: Manifest,
  ) {
    for (const name of entries.keys()) {
      const [, itemId, resource] = /^items\/([^/]+)\/resources\/(.+)$/.exec(name) ?? [];
      if (itemId === undefined || resource === undefined) continue;
      this.resources.set(itemId, [...(this.resources.get(itemId) ?? []), resource]);
    }
  }

  /** @throws PortalFault 400 where the file is no package */
  static async open(path: string): Promise<PackageReader> {
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(path, { lazyEntries: true, autoClose: false, strictFileNames: true });
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      const first = entries.get(entryNames.manifest);
      if (!first) throw new Error('no manifest');
      const parsed = manifest.parse(JSON.parse(await text(await zip.openReadStreamPromise(first))));
      return new PackageReader(zip, entries, parsed);
    } catch {
      zip?.close();
      throw badRequest('The item is not a valid export package.');
    }
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Paths of an item's resources. */
  resourcesOf(itemId: string): readonly string[] {
    return this.resources.get(itemId) ?? [];
  }

  async stream(name: string): Promise<Readable> {
    const entry = this.entries.get(name);
    if (!entry) throw new Error(`The package holds no ${name}`);
    return this.zip.openReadStreamPromise(entry);
  }

  async text(name: string): Promise<string> {
    return text(await this.stream(name));
  }

  close(): void {
    this.zip.close();
  }
}
