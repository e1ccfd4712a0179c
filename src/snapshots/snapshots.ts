import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PortolanError } from '../model/errors';
import { type SnapshotManifest, snapshotManifest, type SnapshotRow, snapshotRow } from '../model/snapshot';
import { keys } from '../store/keys';
import type { Store } from '../store/store';
import { AuthenticFiles, type ReadKey } from './authentic';

/** What is to become a snapshot: its package, if any, already lies in the store. */
export type NewSnapshot = Omit<SnapshotManifest, 'createdAt' | 'rows' | 'package'> & {
  readonly package?: { readonly key: string; readonly sizeBytes: number; readonly sha256: string };
};

/** The snapshots of a store. */
export class Snapshots {
  private readonly files: AuthenticFiles;

  constructor(
    readonly store: Store,
    readKey: ReadKey,
  ) {
    this.files = new AuthenticFiles(store, readKey);
  }

  /**
   * Makes a snapshot of what lies in the store: the package goes to where packages with its bytes lie, the rows are
   * written, and the manifest last. Committing the same again is committing once.
   */
  async commit(snapshot: NewSnapshot, rows: readonly SnapshotRow[]): Promise<SnapshotManifest> {
    const committed = await this.find(snapshot.id);
    if (committed) return committed;
    const rowsKey = keys.snapshotRows(snapshot.id);
    await this.store.writeJson(rowsKey, rows);
    const manifest: SnapshotManifest = {
      ...snapshot,
      package: snapshot.package && (await this.keepPackage(snapshot.package)),
      createdAt: new Date().toISOString(),
      rows: {
        key: rowsKey,
        sha256: hashOfRows(rows),
        count: rows.length,
        saved: rows.filter(({ saved }) => saved !== 'no').length,
      },
    };
    await this.files.write(keys.snapshotManifest(snapshot.id), manifest);
    return manifest;
  }

  /** Undefined where there is none of that id. Throws SNAPSHOT_ALTERED, SNAPSHOT_NEWER, STORE_BROKEN. */
  async find(id: string): Promise<SnapshotManifest | undefined> {
    return await this.files.read(keys.snapshotManifest(id), snapshotManifest);
  }

  /** Throws SNAPSHOT_NOT_FOUND besides what `find` throws. */
  async read(id: string): Promise<SnapshotManifest> {
    const found = await this.find(id);
    if (found) return found;
    throw new PortolanError('SNAPSHOT_NOT_FOUND', `no snapshot ${id} is in the store at ${this.store.where}`);
  }

  /** Throws SNAPSHOT_ALTERED where the rows are not those of the manifest. */
  async rowsOf({ id, rows: named }: SnapshotManifest): Promise<SnapshotRow[]> {
    const rows = await this.store.readJson(named.key, z.array(snapshotRow));
    if (rows && hashOfRows(rows) === named.sha256) return rows;
    throw new PortolanError(
      'SNAPSHOT_ALTERED',
      `the rows of snapshot ${id} in ${this.store.where} are ${rows ? 'not those that its manifest names' : 'gone'}`,
    );
  }

  /** Ids of all snapshots that are there, readable or not, in their order. */
  async *ids(): AsyncGenerator<string> {
    for await (const key of this.store.list(keys.snapshots)) {
      const id = keys.snapshotOfManifest(key);
      if (id !== undefined) yield id;
    }
  }

  /** Bytes that are in the store already are not stored twice. */
  private async keepPackage(
    given: NonNullable<NewSnapshot['package']>,
  ): Promise<NonNullable<SnapshotManifest['package']>> {
    const key = keys.storedPackage(given.sha256);
    const there = await this.store.openFile(key);
    if (there?.size !== given.sizeBytes) await this.store.move(given.key, key);
    else if (given.key !== key) await this.store.remove(given.key);
    return { ...given, key };
  }
}

/** Rows are written and read as the JSON text of their list. */
const hashOfRows = (rows: readonly SnapshotRow[]): string =>
  createHash('sha256').update(JSON.stringify(rows)).digest('hex');
