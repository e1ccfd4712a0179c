import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import { excludedAmong, type Requested, requestedItem } from '../../model/transfer/requested';
import type { RouteOptions } from '../../model/transfer/route';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { bytesOf, goesSurely } from '../../domain/transfer/weights';
import { hashOfFile } from '../../domain/snapshot/hashing';
import { keys } from '../../store/keys';
import type { Store, StoredFile } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { lastProgress, progress, stopSignal } from '../attempt/heartbeat';
import { chosenItems, figuresOf, readPages, writeRequested } from './plan/stored-lists';
import { serverTime } from '../attempt/clock';

/** Stored with a package that outlives its run: until when it is kept, in milliseconds since the epoch. */
export const keepNote = z.object({ until: z.number() });

/** Whether a run's working file describes its package, and so is kept with it. */
export const isOfPackage = (key: string, runId: string): boolean =>
  key.startsWith(keys.requested(runId)) || besidesRequested(runId).includes(key);

const besidesRequested = (runId: string): string[] => [
  keys.sourceIds(runId),
  keys.sourceCounts(runId),
  keys.jobLists(runId, 'export', 0),
];

export interface AdoptPackage {
  readonly runId: string;
  /** The run that made the package. */
  readonly from: string;
  readonly sha256: string;
  /** Only these of the items requested then. @default all */
  readonly chosen: Pick<RouteOptions, 'items' | 'itemList'>;
  /** The package is kept at least this long from now. @format milliseconds */
  readonly keepMs: number;
}

/**
 * Adopts an earlier run's package: checks its hash, keeps it from being deleted, and adopts the items requested then.
 * Throws PACKAGE_MISSING and HASH_MISMATCH.
 */
export async function adoptPackage(
  { store }: ActivityDeps,
  input: AdoptPackage,
): Promise<{ package: PackageInStore; requested: Requested }> {
  const { runId, from } = input;
  const key = keys.package(from, 0);
  const file = await store.openFile(key);
  if (!file) throw gone(`${key} is missing from the store at ${store.where}`);
  await keepUntil(store, from, serverTime() + input.keepMs);
  const sizeBytes = file.size;
  const sha256 = await hashOf(file);
  if (sha256 !== input.sha256) {
    throw new PortolanError(
      'HASH_MISMATCH',
      `${key} in the store at ${store.where} has sha256 ${sha256}, not ${input.sha256} as downloaded`,
      { hint: 'Check the disk of the store, and restart the run from the export.' },
    );
  }
  const requested = await takeListing(store, input);
  for (const [theirs, ours] of pairs(besidesRequested(from), besidesRequested(runId))) {
    await copy(store, theirs, ours);
  }
  return { package: { key, sizeBytes, sha256, sizeChecked: true }, requested };
}

async function keepUntil(store: Store, runId: string, until: number): Promise<void> {
  const key = keys.packageNote(runId);
  const noted = await store.readJson(key, keepNote);
  if (!noted || noted.until < until) await store.writeJson(key, { until });
}

async function takeListing(store: Store, { runId, from, chosen }: AdoptPackage): Promise<Requested> {
  const listed = await readPages(store, keys.requested(from), requestedItem);
  // Items excluded by this run's preflight checks are left out of the older package too.
  const excluded = excludedAmong(await readPages(store, keys.requested(runId), requestedItem));
  const inSource = await store.readJson(keys.sourceIds(from), z.array(z.string()));
  if (!inSource) throw gone(`the list of items in the package of ${from} is missing from the store`);
  const items = await chosenItems(store, chosen);
  const desired = items && new Set(items);
  const requested = listed
    .filter((item) => desired?.has(item.itemId) ?? true)
    .map((item) => {
      const skip = excluded.get(item.itemId);
      return skip === undefined ? item : { ...item, skip, excluded: true };
    });
  await writeRequested(store, runId, requested);
  return {
    ...figuresOf(requested, inSource.length),
    knownBytes: bytesOf(goesSurely(requested)),
  };
}

/** Hashes a whole stored file, reporting progress. */
export async function hashOf(file: StoredFile): Promise<string> {
  const signal = stopSignal();
  return await hashOfFile(file, (bytes) => {
    signal.throwIfAborted();
    progress({ ...lastProgress<object>(), bytes, total: file.size });
  });
}

const gone = (message: string): PortolanError =>
  new PortolanError('PACKAGE_MISSING', message, {
    hint: 'Restart the run from the export; it creates a new package.',
  });

const pairs = (some: readonly string[], others: readonly string[]): [string, string][] =>
  some.flatMap((one, at): [string, string][] => (others[at] === undefined ? [] : [[one, others[at]]]));

async function copy(store: Store, from: string, to: string): Promise<void> {
  const content = await store.readJson(from, z.unknown());
  if (content === undefined) await store.remove(to);
  else await store.writeJson(to, content);
}
