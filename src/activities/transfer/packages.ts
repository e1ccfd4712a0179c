import { z } from 'zod';
import { type PortalFacts, requireUser } from '../../domain/transfer/portal-facts';
import type { Portal } from '../../portal/client';
import { PACKAGE_TYPE } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys, FORGOTTEN, MANIFEST, safeguardId } from '../../store/keys';
import type { Store, StoredFile } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { eachItem, type ItemEnd } from '../attempt/each-item';
import { stopSignal, progress, activityTime } from '../attempt/heartbeat';
import {
  isOfRun,
  type OwnPackage,
  packageItemId,
  packagesOf,
  removeItem,
} from '../../domain/transfer/own-packages';
import { PortolanError } from '../../model/errors/errors';
import { excludedAmong, type Requested } from '../../model/transfer/requested';
import type { RouteOptions } from '../../model/transfer/route';
import { type PackageInStore, PACKAGES_STAY_MS } from '../../model/transfer/stored-package';
import { bytesOf, goesSurely } from '../../domain/transfer/packing';
import { hashOfFile } from '../../domain/snapshot/hashing';
import { chosenItems, figuresOf, readRequested, writeRequested } from './plan/stored-lists';

/**
 * Deletes every package of the run from one portal, permanently: the `known` ones, those it requested by ID, and any
 * tagged with the run's ID. A missing package is no error. An item that is not a package is not Portolan's, whatever
 * `known` says. Returns what remains.
 *
 * If the run is `settled`, all its exports are known. Folders are then searched only if a known package is there and not
 * in the root.
 */
export async function removePackages(
  { authority, portals }: ActivityDeps,
  input: {
    runId: string;
    portal: PortalFacts;
    known: readonly string[];
    /** How many packages it has. */
    parts: number;
    settled: boolean;
  },
): Promise<{ left: string[] }> {
  await authority.requireOpen(input.runId);
  const portal = portals.open(input.portal.name);
  const owner = requireUser(input.portal);
  const permanent = input.portal.recycleBin;
  const found = input.settled ? await placed(portal, owner, input.known) : await packagesOf(portal, owner);
  const listed = found.filter(({ item }) => isOfRun(item, input.runId));
  const asked = Array.from({ length: input.parts }, (_, packageIndex) =>
    packageItemId(input.runId, packageIndex),
  );
  const ours = new Set(listed.map(({ id }) => id));
  for (const itemId of input.known) {
    const isPackage =
      asked.includes(itemId) ||
      found.some(({ id }) => id === itemId) ||
      (await findItem(portal, itemId))?.type === PACKAGE_TYPE;
    if (isPackage) ours.add(itemId);
  }
  const ends = await eachItem<string, ItemEnd>(
    [...new Set([...ours, ...asked])],
    async (itemId) => {
      const folderId = found.find(({ id }) => id === itemId)?.folderId;
      await removeItem(portal, { owner, itemId, folderId, permanent });
      return {};
    },
    // A guessed ID that this account may not access is not Portolan's.
    (itemId, words) => (ours.has(itemId) ? { line: `${itemId}: ${words}` } : {}),
  );
  return { left: ends.flatMap(({ line }) => line ?? []) };
}

/**
 * Keeps a run's package, and what a run reusing it needs, for `keepMs`. Keeps its record, plans, results and
 * verification for good. Deletes unfinished safeguards and expired packages of earlier runs.
 */
export async function tidyStore(
  { store }: ActivityDeps,
  { runId, keepMs }: { runId: string; keepMs: number },
): Promise<void> {
  // A run that ended before it had a package needs no expiry file.
  const kept = keepMs > 0 && (await store.openFile(keys.package(runId, 0)));
  if (kept) {
    await dropWorking(store, runId);
    await store.writeJson(keys.packageNote(runId), { until: activityTime() + keepMs });
  } else await dropPackage(store, runId);
  await dropUnsaved(store, runId);
  for await (const key of store.list(keys.packages)) {
    const noted = keys.runOfPackageNote(key);
    if (noted === undefined) continue;
    const { value, why } = await readUnaltered(store, key, keepNote);
    // An altered note decides nothing: the package stays as long as a new one.
    if (why !== undefined) await store.writeJson(key, { until: activityTime() + PACKAGES_STAY_MS });
    else if (value && value.until < activityTime()) await dropPackage(store, noted);
  }
}

/** Packages in the account's root; all of its packages if a known one is elsewhere. */
async function placed(portal: Portal, owner: string, known: readonly string[]): Promise<OwnPackage[]> {
  const inRoot = await packagesOf(portal, owner, {}, 'root');
  for (const itemId of known) {
    // The portal may have deleted it at the end of an import.
    if (!inRoot.some(({ id }) => id === itemId) && (await findItem(portal, itemId)))
      return await packagesOf(portal, owner);
  }
  return inRoot;
}

/** Deletes a run's working files, except those kept with its package. */
async function dropWorking(store: Store, runId: string): Promise<void> {
  for await (const key of store.list(keys.working(runId))) {
    if (!isOfPackage(key, runId)) await store.remove(key);
  }
}

/** Deletes copies and packages of the run's backup and safeguards that never became a snapshot. */
async function dropUnsaved(store: Store, runId: string): Promise<void> {
  const ids = [runId];
  for await (const key of store.list(keys.run(runId))) {
    const reading = keys.readingOfPlan(key);
    if (reading !== undefined) ids.push(safeguardId(runId, reading));
  }
  for (const id of ids) {
    const names = await store.names(keys.snapshot(id));
    // A forgotten snapshot may have packages that others need.
    if (names.includes(MANIFEST) || names.includes(FORGOTTEN)) continue;
    // An unfinished upload may be listed under its whole key only.
    await store.remove(keys.snapshotPackage(id, 0));
    await store.remove(keys.snapshot(id));
  }
}

async function dropPackage(store: Store, runId: string): Promise<void> {
  await store.remove(keys.working(runId));
  // An unfinished upload may be listed under its whole key only.
  await store.remove(keys.package(runId, 0));
  await store.remove(keys.packagesOfRun(runId));
}

/** Stored with a package that outlives its run: until when it is kept, in milliseconds since the epoch. */
export const keepNote = z.object({ until: z.number() });

/** Whether a run's working file describes its package, and so is kept with it. */
const isOfPackage = (key: string, runId: string): boolean =>
  key.startsWith(keys.requested(runId)) || besidesRequested.some((keyOf) => keyOf(runId) === key);

/** What describes a package besides its requested items. */
const besidesRequested: readonly ((runId: string) => string)[] = [
  keys.sourceIds,
  keys.sourceCounts,
  (runId) => keys.jobLists(runId, 'export', 0),
];

interface AdoptPackage {
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
  const file = await openPackage(store, key, MADE_ANEW);
  await keepUntil(store, from, activityTime() + input.keepMs);
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
  for (const keyOf of besidesRequested) await copy(store, keyOf(from), keyOf(runId));
  return { package: { key, sizeBytes, sha256, sizeChecked: true }, requested };
}

async function keepUntil(store: Store, runId: string, until: number): Promise<void> {
  const key = keys.packageNote(runId);
  const { value: noted } = await readUnaltered(store, key, keepNote);
  if (!noted || noted.until < until) await store.writeJson(key, { until });
}

async function takeListing(store: Store, { runId, from, chosen }: AdoptPackage): Promise<Requested> {
  const listed = await readRequested(store, from);
  // Items excluded by this run's preflight checks are left out of the older package too.
  const excluded = excludedAmong(await readRequested(store, runId));
  const inSource = await store.readJson(keys.sourceIds(from), z.array(z.string()));
  if (!inSource)
    throw new PortolanError(
      'PACKAGE_MISSING',
      `the list of items in the package of ${from} is missing from the store`,
      { hint: MADE_ANEW },
    );
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

/** Opens a package in the store. Throws PACKAGE_MISSING. */
export async function openPackage(store: Store, key: string, hint?: string): Promise<StoredFile> {
  const file = await store.openFile(key);
  if (file) return file;
  const message = `${key} is missing from the store at ${store.where}`;
  throw new PortolanError('PACKAGE_MISSING', message, { hint });
}

/** Hashes a whole stored file, reporting progress. */
export async function hashOf(file: StoredFile): Promise<string> {
  const signal = stopSignal();
  return await hashOfFile(file, (bytes) => {
    signal.throwIfAborted();
    progress({ bytes, total: file.size });
  });
}

const MADE_ANEW = 'Restart the run from the export; it creates a new package.';

async function copy(store: Store, from: string, to: string): Promise<void> {
  const content = await store.readJson(from, z.unknown());
  if (content === undefined) await store.remove(to);
  else await store.writeJson(to, content);
}
