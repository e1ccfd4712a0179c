import { createHash } from 'node:crypto';
import { aFolder } from '../../support/folder';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import { contentOfSnapshot } from '../../../src/domain/release/releases';
import type { ReleaseManifest } from '../../../src/model/release/release';
import {
  bytesIn,
  type NamedPackage,
  packageOf,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../../src/model/snapshot/snapshot';
import type { ItemContent } from '../../../src/domain/change/item-content';
import { ContentsWriter, keptLine } from '../../../src/domain/snapshot/contents';
import { listSnapshots } from '../../../src/domain/snapshot/list-snapshots';
import { claimPackages } from '../../../src/domain/snapshot/packages';
import { forget, type RetentionRequest } from '../../../src/domain/snapshot/retention/forget';
import { hashOfJson } from '../../../src/domain/snapshot/hashing';
import { verifySnapshot } from '../../../src/domain/snapshot/verify-snapshot';
import { snapshotKeys, keys } from '../../../src/store/keys';
import { type NewSnapshot, Snapshots } from '../../../src/domain/snapshot/snapshots';
import { AuthenticStore } from '../../../src/store/authentic/authentic-store';
import { LocalStore } from '../../../src/store/local/local-store';
import { keysUnder, type Store, writeFile } from '../../../src/store/store';

export const sha256Of = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const sized = (bytes: string) => ({ sizeBytes: Buffer.byteLength(bytes), sha256: sha256Of(bytes) });

/** A package of these bytes, as a manifest names it. */
export const aPackage = (key: string, bytes: string) => ({ key, ...sized(bytes) });

/** A store whose every method is called by this. */
export const calledBy = (store: Store, act: (name: PropertyKey, call: () => unknown) => unknown) =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => act(name, () => value.apply(target, args) as unknown);
    },
  });

/** A store whose process dies before the n-th write or removal. */
export function dyingAt(store: Store, steps: number) {
  let left = steps;
  const dies = new Set<PropertyKey>(['writeJson', 'remove', 'openPartial']);
  return calledBy(store, (name, call) => {
    if (dies.has(name) && --left < 0) throw new Error('killed');
    return call();
  });
}

/** Claims packages of one snapshot for another. */
export const claim = (snapshots: Snapshots, id: string, of: string, packages: NamedPackage[]) =>
  claimPackages(
    snapshots,
    id,
    packages.map((each) => ({ of, package: each })),
  );

/** An empty store, and its snapshots. */
export class AStore {
  folder = aFolder();
  store: Store;
  snapshots: Snapshots;
  private contents = new Map<string, NamedPackage[]>();

  /** @param openInner the store behind its signatures. @default one in its folder */
  constructor(
    private key = 'a key that is long enough to be a key',
    openInner: (folder: string) => Store = (folder) => new LocalStore(folder),
  ) {
    this.store = new AuthenticStore(openInner(this.folder), async () => Buffer.from(this.key));
    this.snapshots = this.through(this.store);
  }

  /** Its snapshots, as somebody sees them who comes to it through another store. */
  through = (store: Store) => new Snapshots(store);

  /** Its snapshots to a process that dies before so many writes and removals were made. */
  dyingAt = (steps: number) => this.through(dyingAt(this.store, steps));

  /** Forgets snapshots by their IDs. */
  forget = async (
    going: string[],
    request: Pick<RetentionRequest, 'openRuns' | 'now'> = { openRuns: new Set() },
    snapshots = this.snapshots,
  ) => forget(snapshots, { going, listing: await listSnapshots(snapshots) }, request);

  fileOf = (key: string) => path.join(this.folder, key);

  /** Turns one bit of a file over. */
  flip(key: string, at = -1, bit = 1) {
    const bytes = readFileSync(this.fileOf(key));
    const index = at < 0 ? bytes.length + at : at;
    bytes.writeUInt8(bytes.readUInt8(index) ^ bit, index);
    writeFileSync(this.fileOf(key), bytes);
  }

  /** Does something before each note is written. */
  beforeWriting(act: (key: string) => void) {
    const { writeJson } = this.store;
    Object.assign(this.store, {
      writeJson: async (...args: Parameters<typeof writeJson>) => {
        act(args[0]);
        await writeJson.apply(this.store, args);
      },
    });
  }

  /** Requires that these snapshots are whole. */
  async requireIntact(...ids: string[]) {
    for (const id of ids) expect(await verifySnapshot(this.snapshots, id)).toMatchObject({ problems: [] });
  }

  writeFile = (key: string, bytes: string | Uint8Array) =>
    writeFile(this.store, key, Readable.from([Buffer.from(bytes)]));

  keys = (prefix = '') => keysUnder(this.store, prefix);

  /** Keys of all packages of snapshots. */
  async packages() {
    return (await this.keys(keys.snapshots)).filter((key) => key.endsWith('.epk'));
  }

  /** Saves an item as a copy, with one resource; its row belongs into the snapshot. */
  async copy(id: string, itemId: string, data: string): Promise<SnapshotRow> {
    const resource = `resource of ${itemId}`;
    const record = { id: itemId, title: `Item ${itemId}`, type: 'CSV' };
    await this.store.writeJson(snapshotKeys.copiedRecord(id, itemId), record);
    await this.writeFile(snapshotKeys.copiedData(id, itemId), data);
    await this.writeFile(snapshotKeys.copiedFile(id, itemId, 0), resource);
    const { sizeBytes, sha256: dataSha256 } = sized(data);
    const file = { kind: 'resource' as const, path: 'a/b.json', ...sized(resource) };
    const copy = { recordSha256: hashOfJson(record), dataSha256, sizeBytes, files: [file] };
    return { itemId, type: 'CSV', title: record.title, saved: 'copy', copy };
  }

  /** The row of an item in the package, with its JSON and the picture that a backup of a release keeps. */
  async documented(id: string, itemId: string) {
    const picture = `thumbnail of ${itemId}`;
    await this.keepContents(id, { [itemId]: aContent(itemId) });
    await this.writeFile(snapshotKeys.thumbnail(id, itemId), picture);
    return aRow(itemId, {
      placement: { access: 'org', thumbnail: { path: 'thumbnail/a.png', ...sized(picture) } },
    });
  }

  /** Keeps the JSON of items, which `take` then names. */
  async keepContents(id: string, contents: Readonly<Record<string, ItemContent>>) {
    const writer = new ContentsWriter(this.store, id);
    for (const [itemId, content] of Object.entries(contents))
      await writer.add(itemId, keptLine('', { content }));
    await writer.end();
    this.contents.set(id, writer.files);
    return writer.files;
  }

  /** Takes a snapshot that builds on another one: of its rows those that `changed` names lie in a new package. */
  async takeSince(
    id: string,
    base: SnapshotManifest,
    { rows, changed, bytes = `package of ${id}` }: { rows: SnapshotRow[]; changed: string[]; bytes?: string },
    snapshots = this.snapshots,
  ) {
    const key = keys.snapshotPackage(id, 0);
    const isCommitted = await snapshots.find(id);
    if (isCommitted) return isCommitted;
    const old = (await snapshots.rowsOf(base)).filter(({ itemId }) => !changed.includes(itemId));
    const needed = [...new Set(old.flatMap((row) => packageOf(base, row) ?? []))];
    expect(await claim(snapshots, id, base.id, needed)).toEqual(needed);
    const isNew = changed.length > 0;
    if (isNew) await this.writeFile(key, bytes);
    const [first, ...more] = isNew ? [aPackage(key, bytes), ...needed] : needed;
    const places = new Map(
      old.map((row) => [
        row.itemId,
        needed.findIndex((each) => each === packageOf(base, row)) + Number(isNew),
      ]),
    );
    return snapshots.commit(
      {
        ...aSnapshot,
        id,
        runId: id,
        package: first,
        more,
        takenAt: base.takenAt,
        since: {
          id: base.id,
          full: { id: base.id, at: base.takenAt },
          changed: changed.length,
          added: Number(isNew),
          removed: [],
        },
      },
      rows.map((row) => ({ ...row, package: places.get(row.itemId) ?? 0 })),
    );
  }

  /** Makes a release of snapshots that it has. */
  async release(groups: Readonly<Record<string, SnapshotManifest>>, more: Partial<ReleaseManifest> = {}) {
    return this.snapshots.releases.commit({
      id: 'transport-20261122T091200Z-a',
      runId: 'release-transport-a',
      pipeline: 'transport',
      who: 'a@b',
      source: { stage: 'dev', portal: 'dev', url: 'https://dev.example.com/portal', version: '11.2' },
      groups: Object.entries(groups).map(([name, manifest]) => ({
        name,
        groupId: `g-${name}`,
        snapshotId: manifest.id,
        sha256: contentOfSnapshot(manifest),
        items: manifest.rows.saved,
        sizeBytes: bytesIn(manifest),
      })),
      ...more,
    });
  }

  /** Takes a snapshot; a package is written where there are bytes for it. */
  async take(
    given: Partial<NewSnapshot> & { id: string; bytes?: string },
    rows: readonly SnapshotRow[] = [aRow('a')],
  ) {
    const { bytes = `package of ${given.id}`, ...changes } = given;
    const key = keys.snapshotPackage(given.id, 0);
    if (bytes !== '') await this.writeFile(key, bytes);
    return this.snapshots.commit(
      {
        ...aSnapshot,
        runId: given.id.replace(/-safeguard-\d+$/, ''),
        package: bytes === '' ? undefined : aPackage(key, bytes),
        contents: this.contents.get(given.id),
        ...changes,
      },
      rows,
    );
  }
}

export const aContent = (itemId: string, title = `Map ${itemId}`): ItemContent => ({
  details: { id: itemId, title, type: 'Web Map' },
  data: { operationalLayers: [{ itemId: 'layer' }] },
});

export const aRow = (itemId: string, changes: Partial<SnapshotRow> = {}): SnapshotRow => ({
  itemId,
  type: 'Web Map',
  title: `Map ${itemId}`,
  size: 100,
  modified: 1_000,
  owner: 'm.lee',
  saved: 'package',
  ...changes,
});

export const aSnapshot: Omit<NewSnapshot, 'id' | 'runId'> = {
  kind: 'backup',
  route: 'transport',
  tags: [],
  source: {
    portal: 'staging',
    url: 'https://staging.example.com/portal/sharing/rest',
    aliases: [],
    portalId: 'p1',
    version: '11.2',
    addresses: ['https://staging.example.com/portal'],
    groupId: 'g1',
    groupTitle: 'Transport',
  },
  takenAt: '2026-11-20T03:00:00.000Z',
  complete: true,
};

/** A snapshot as a listing has it, without a store. */
export const aKnown = (changes: Partial<SnapshotManifest> & { id: string; saved?: number; pin?: string }) => {
  const { saved = 1, pin, ...manifest } = changes;
  return {
    manifest: {
      ...aSnapshot,
      runId: changes.id,
      createdAt: changes.takenAt ?? aSnapshot.takenAt,
      rows: { key: `snapshots/${changes.id}/rows.json`, sha256: '', count: 1, saved },
      ...manifest,
    },
    pin: pin === undefined ? undefined : { at: aSnapshot.takenAt, who: 'a@b', reason: pin },
    proofs: [],
    problems: [],
  };
};
