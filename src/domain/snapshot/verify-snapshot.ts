import { z } from 'zod';
import {
  type NamedPackage,
  packageOf,
  packagesIn,
  sharedFilesIn,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { keys, snapshotKeys } from '../../store/keys';
import { filesOfItem } from './copied-files';
import { hashOfFile, hashOfJson } from './hashing';
import { listSnapshots } from './list-snapshots';
import { forgetDamage, noteDamage } from './packages';
import { whyUnreadable } from './unreadable';
import type { Snapshots } from './snapshots';
import { STORE_READS_AT_A_TIME } from '../../store/store';

/** A file of a snapshot that is not what it was. */
interface SnapshotProblem {
  /** Its key in the store. */
  readonly file: string;
  readonly problem: string;
  /** Of a package: what is lost with it, of this snapshot and of every other one that names it. */
  readonly costs?: readonly LostItems[];
}

export interface VerifiedSnapshot {
  readonly id: string;
  /** Files that were read to their end and hashed. */
  readonly files: number;
  readonly bytes: number;
  readonly problems: readonly SnapshotProblem[];
}

/** Items of a snapshot that lie in one package. */
export interface LostItems {
  readonly id: string;
  readonly items: readonly Pick<SnapshotRow, 'itemId' | 'title'>[];
  /** Why they are not known; then `items` is empty. */
  readonly why?: string;
}

/** What is known of files that several snapshots share; one for each time that snapshots are verified. */
export type SharedFiles = Map<string, string | undefined>;

/**
 * Reads everything that a snapshot is made of, and compares each file with what the manifest says of it. All problems
 * are told, and not the first one only. A package that is not what it was is noted, so that the next backup does not
 * build on it. Throws what the store throws where it cannot be reached, and ABORTED.
 *
 * @param shared packages that were read already: each is read once
 * @param signal ends the reading in the middle of a file; of that nothing is noted
 */
export async function verifySnapshot(
  snapshots: Snapshots,
  id: string,
  shared: SharedFiles = new Map(),
  signal?: AbortSignal,
): Promise<VerifiedSnapshot> {
  const check = new Check(snapshots, id, signal);
  const manifest = await check.readOrNote(keys.snapshotManifest(id), () => snapshots.read(id));
  if (manifest) {
    const packages = packagesIn(manifest);
    for (const each of sharedFilesIn(manifest)) await check.package(each, shared);
    const rows = await check.readOrNote(manifest.rows.key, () => snapshots.rowsOf(manifest));
    const contents = manifest.contents?.length ?? 0;
    if (rows?.some((row) => (row.content ?? 0) > Math.max(contents - 1, 0)))
      check.note(manifest.rows.key, 'names JSON that is not in the manifest');
    if (rows?.some((row) => (row.package ?? 0) > Math.max(packages.length - 1, 0)))
      check.note(manifest.rows.key, 'names a package that is not in the manifest');
    for (const row of rows ?? []) {
      if (row.saved === 'copy') await check.record(row);
      await check.filesOf(row);
    }
    const { saved, count } = manifest.rows;
    if (rows && (rows.length !== count || rows.filter((row) => row.saved !== 'no').length !== saved))
      check.note(manifest.rows.key, `does not contain the ${count} rows counted in the manifest`);
  }
  await check.besides();
  return { id, files: check.files, bytes: check.bytes, problems: check.problems };
}

class Check {
  readonly problems: SnapshotProblem[] = [];
  files = 0;
  bytes = 0;

  constructor(
    private readonly snapshots: Snapshots,
    private readonly id: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  note(file: string, problem: string): void {
    this.problems.push({ file, problem });
  }

  /** What is read; or nothing, and why is noted. */
  async readOrNote<T>(file: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await read();
      if (value !== undefined) this.files += 1;
      return value;
    } catch (thrown) {
      this.note(file, whyUnreadable(this.id, thrown).why);
      return undefined;
    }
  }

  async package(named: NamedPackage, shared: SharedFiles): Promise<void> {
    const { key } = named;
    const { store } = this.snapshots;
    if (!shared.has(key)) {
      const problem = await this.fileProblem(key, named);
      shared.set(key, problem);
      if (problem === undefined) await forgetDamage(store, key);
      else await noteDamage(store, key, problem);
    }
    const problem = shared.get(key);
    if (problem === undefined) return;
    this.problems.push({ file: key, problem, costs: await costsOf(this.snapshots, key) });
  }

  async record({ itemId, copy }: SnapshotRow): Promise<void> {
    const record = snapshotKeys.copiedRecord(this.id, itemId);
    if (!copy) {
      this.note(record, 'has no hash');
      return;
    }
    const read = await this.readOrNote(record, () => this.snapshots.store.readJson(record, z.unknown()));
    if (read === undefined) {
      if (this.problems.at(-1)?.file !== record) this.note(record, 'is missing');
    } else if (hashOfJson(read) !== copy.recordSha256)
      this.note(record, otherBytes(hashOfJson(read), copy.recordSha256));
  }

  async filesOf(row: SnapshotRow): Promise<void> {
    for (const file of filesOfItem(this.id, row)) {
      const problem = await this.fileProblem(file.key, file);
      if (problem !== undefined) this.note(file.key, problem);
    }
  }

  /** Pin, proofs and confirmation carry the mark of the store's key as well. */
  async besides(): Promise<void> {
    await this.readOrNote(keys.snapshotPin(this.id), () => this.snapshots.pinOf(this.id));
    await this.readOrNote(snapshotKeys.confirmed(this.id), () => this.snapshots.confirmationOf(this.id));
    await this.readOrNote(snapshotKeys.proofs(this.id), async () => {
      const proofs = await this.snapshots.proofsOf(this.id);
      return proofs.length === 0 ? undefined : proofs;
    });
  }

  /** Throws ABORTED where nobody waits for it any more. */
  private goOn(): void {
    if (this.signal?.aborted) throw new PortolanError('ABORTED', `${this.id} could not be read to the end`);
  }

  private async fileProblem(
    key: string,
    desired: { readonly sizeBytes: number; readonly sha256: string },
  ): Promise<string | undefined> {
    this.goOn();
    const file = await this.snapshots.store.openFile(key);
    if (!file) return 'is missing';
    if (file.size !== desired.sizeBytes) return `has ${file.size} bytes, not ${desired.sizeBytes}`;
    try {
      const sha256 = await hashOfFile(file, () => this.goOn());
      this.files += 1;
      this.bytes += file.size;
      return sha256 === desired.sha256 ? undefined : otherBytes(sha256, desired.sha256);
    } catch (thrown) {
      return whyUnreadable(this.id, thrown).why;
    }
  }
}

/** What each snapshot would lose with a package. */
async function costsOf(snapshots: Snapshots, key: string): Promise<LostItems[]> {
  const { readable } = await listSnapshots(snapshots);
  const naming = readable.filter(({ manifest }) => packagesIn(manifest).some((each) => each.key === key));
  return await mapLimited(naming, STORE_READS_AT_A_TIME, ({ manifest }) =>
    lostItems(snapshots, manifest, key),
  );
}

async function lostItems(snapshots: Snapshots, manifest: SnapshotManifest, key: string): Promise<LostItems> {
  const { id } = manifest;
  const rows = await snapshots.rowsOf(manifest).catch((thrown: unknown) => whyUnreadable(id, thrown));
  if ('why' in rows) return { id, items: [], why: rows.why };
  const lost = rows.filter((row) => packageOf(manifest, row)?.key === key);
  return { id, items: lost.map(({ itemId, title }) => ({ itemId, title })) };
}

const otherBytes = (found: string, desired: string): string =>
  `has sha256 ${found.slice(0, 12)}..., not ${desired.slice(0, 12)}... as saved`;
