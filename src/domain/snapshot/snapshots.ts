import { z, type ZodType } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import {
  sharedFilesIn,
  type SnapshotConfirmation,
  snapshotConfirmation,
  type SnapshotManifest,
  snapshotManifest,
  type SnapshotPin,
  snapshotPin,
  type SnapshotProof,
  snapshotProof,
  type SnapshotRow,
  snapshotRow,
} from '../../model/snapshot/snapshot';
import { mapLimited } from '../../model/map-limited';
import { keys, MANIFEST, snapshotKeys } from '../../store/keys';
import { alteredAs } from '../../store/authentic/authentic-store';
import { type Store, STORE_READS_AT_A_TIME } from '../../store/store';
import { Releases } from '../release/releases';
import { Contents } from './contents';
import { addToIndex } from './held-index';
import { hashOfJson } from './hashing';
import { requirePackages } from './packages';
import { whyUnreadable } from './unreadable';
import type { Config } from '../../config/config';
import { openStore } from '../../store/open-store';

/** What is to become a snapshot: its packages already lie in the store. */
export type NewSnapshot = Omit<SnapshotManifest, 'createdAt' | 'rows'>;

/** The snapshots of a store. */
export class Snapshots {
  /** Of each that was read, which its manifest says for ever. */
  private readonly routes = new Map<string, string>();
  /** What is made of them, and holds them. */
  readonly releases: Releases;
  /** JSON of their items. */
  readonly contents: Contents;

  constructor(
    readonly store: Store,
    /** By which snapshots are dated and aged. @default the machine's */
    private readonly clock = (): number => Date.now(),
  ) {
    this.releases = new Releases(store, clock);
    this.contents = new Contents(store);
  }

  /**
   * Makes a snapshot of what is in the store: its packages stay where they are, rows are written, and the manifest last.
   * Packages of other snapshots must have been claimed. Repeating it changes nothing. Throws PACKAGE_MISSING.
   */
  async commit(snapshot: NewSnapshot, given: readonly SnapshotRow[]): Promise<SnapshotManifest> {
    const { id } = snapshot;
    const rows = z.array(snapshotRow).parse(given);
    const manifest = (await this.find(id)) ?? (await this.write(snapshot, rows));
    if (manifest.kind === 'backup') await addToIndex(this.store, manifest, rows);
    return manifest;
  }

  private async write(snapshot: NewSnapshot, rows: readonly SnapshotRow[]): Promise<SnapshotManifest> {
    const { id } = snapshot;
    const rowsKey = keys.snapshotRows(id);
    await this.store.writeJson(rowsKey, rows);
    const { more, contents } = snapshot;
    await requirePackages(this.store, id, sharedFilesIn(snapshot));
    const manifest: SnapshotManifest = {
      ...snapshot,
      more: more?.length ? more : undefined,
      contents: contents?.length ? contents : undefined,
      createdAt: new Date(this.now()).toISOString(),
      rows: {
        key: rowsKey,
        sha256: hashOfJson(rows),
        count: rows.length,
        saved: rows.filter(({ saved }) => saved !== 'no').length,
      },
    };
    await this.store.writeJson(keys.snapshotManifest(id), manifest);
    return manifest;
  }

  /** @format milliseconds since the epoch */
  now(): number {
    return this.clock();
  }

  /** Undefined where there is none of that id. Throws SNAPSHOT_ALTERED, STORE_BROKEN. */
  async find(id: string): Promise<SnapshotManifest | undefined> {
    const found = await this.readNote(keys.snapshotManifest(id), snapshotManifest);
    if (found) this.routes.set(id, found.route);
    return found;
  }

  /** Whether one is of a route, or may be since it was not read yet. */
  mayBeOf(route: string, id: string): boolean {
    return (this.routes.get(id) ?? route) === route;
  }

  /** Throws SNAPSHOT_NOT_FOUND besides what `find` throws. */
  async read(id: string): Promise<SnapshotManifest> {
    const found = await this.find(id);
    if (found) return found;
    throw new PortolanError('SNAPSHOT_NOT_FOUND', `no snapshot ${id} in the store at ${this.store.where}`);
  }

  /** Throws SNAPSHOT_ALTERED where the rows are not those of the manifest. */
  async rowsOf({ id, rows: named }: SnapshotManifest): Promise<SnapshotRow[]> {
    const written = await this.readNote(named.key, z.unknown());
    if (written !== undefined && hashOfJson(written) === named.sha256)
      return z.array(snapshotRow).parse(written);
    throw new PortolanError(
      'SNAPSHOT_ALTERED',
      `the rows of snapshot ${id} in ${this.store.where} are ${written ? 'not those its manifest names' : 'missing'}`,
    );
  }

  /**
   * What lies directly in the folder of each snapshot, in the order of IDs, also in folders without a manifest. The cost
   * depends on the number of snapshots, not on their content.
   */
  async folders(isWanted = (_id: string): boolean => true): Promise<Map<string, ReadonlySet<string>>> {
    const ids = (await this.store.names(keys.snapshots)).filter(isWanted).sort();
    return new Map(
      await mapLimited(ids, STORE_READS_AT_A_TIME, async (id) => {
        const names = await this.store.names(keys.snapshot(id));
        return [id, new Set(names)] as const;
      }),
    );
  }

  /** IDs of all snapshots, readable or not, in order. */
  async ids(isWanted?: (id: string) => boolean): Promise<string[]> {
    return [...(await this.folders(isWanted))].flatMap(([id, names]) => (names.has(MANIFEST) ? [id] : []));
  }

  /** Keeps it from being forgotten. Pinning again replaces who and why. */
  async pin(id: string, pin: SnapshotPin): Promise<void> {
    await this.read(id);
    await this.store.writeJson(keys.snapshotPin(id), pin);
  }

  /** @returns whether it was pinned */
  async unpin(id: string): Promise<boolean> {
    await this.read(id);
    const wasPinned = await this.isPinned(id);
    await this.store.remove(keys.snapshotPin(id));
    return wasPinned;
  }

  /** A pin that cannot be read holds as well. */
  async isPinned(id: string): Promise<boolean> {
    return await this.pinOf(id).then(
      (pin) => pin !== undefined,
      (thrown: unknown) => whyUnreadable(id, thrown) !== undefined,
    );
  }

  /** Throws SNAPSHOT_ALTERED, STORE_BROKEN. */
  async pinOf(id: string): Promise<SnapshotPin | undefined> {
    return await this.readNote(keys.snapshotPin(id), snapshotPin);
  }

  /** Records that it can be restored. The same run again is the same proof. */
  async prove(id: string, proof: SnapshotProof): Promise<void> {
    await this.read(id);
    // Before the proof: then the index lacks none.
    await this.store.writeJson(keys.provenSnapshot(id), {});
    await this.store.writeJson(snapshotKeys.proof(id, proof.runId), proof);
  }

  /** Oldest first. Throws SNAPSHOT_ALTERED, STORE_BROKEN. */
  async proofsOf(id: string): Promise<SnapshotProof[]> {
    const proofs: SnapshotProof[] = [];
    for await (const key of this.store.list(snapshotKeys.proofs(id))) {
      const proof = await this.readNote(key, snapshotProof);
      if (proof) proofs.push(proof);
    }
    return proofs.sort((a, b) => a.at.localeCompare(b.at));
  }

  /** Records that its group was found as it is in the snapshot; the latest time stays. */
  async confirm(id: string, confirmation: SnapshotConfirmation): Promise<void> {
    const before = await this.confirmationOf(id).catch(() => undefined);
    if (before && Date.parse(before.at) >= Date.parse(confirmation.at)) return;
    await this.read(id);
    await this.store.writeJson(snapshotKeys.confirmed(id), confirmation);
  }

  /** Throws SNAPSHOT_ALTERED, STORE_BROKEN. */
  async confirmationOf(id: string): Promise<SnapshotConfirmation | undefined> {
    return await this.readNote(snapshotKeys.confirmed(id), snapshotConfirmation);
  }

  private async readNote<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    return await this.store.readJson(key, schema).catch(alteredAs('SNAPSHOT_ALTERED'));
  }
}

/** The snapshots of a configuration's store. */
export const openSnapshots = (
  config: Config,
  store: Store = openStore(config),
  clock?: () => number,
): Snapshots => new Snapshots(store, clock);
