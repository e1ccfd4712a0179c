import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { PACKAGE_TYPE } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { requireUser } from './exports';
import { eachItem, type ItemEnd } from '../attempt/each-item';
import { stopSignal } from '../attempt/heartbeat';
import { isOfPackage, keepNote } from './kept-package';
import { safeguardId } from '../../domain/snapshot/snapshot-keys';
import {
  isOfRun,
  type OwnPackage,
  packageItemId,
  packagesOf,
  removeItem,
} from '../../domain/transfer/own-packages';
import { serverTime } from '../attempt/clock';

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
    /** @default false */
    settled?: boolean;
  },
): Promise<{ removed: number; left: string[] }> {
  await authority.requireOpen(input.runId);
  const portal = portals.open(input.portal.name);
  const owner = requireUser(input.portal);
  const options = { signal: stopSignal() };
  const permanent = input.portal.recycleBin;
  const found = input.settled
    ? await placed(portal, owner, input.known, options)
    : await packagesOf(portal, owner, options);
  const listed = found.filter(({ item }) => isOfRun(item, input.runId));
  const asked = Array.from({ length: input.parts }, (_, part) => packageItemId(input.runId, part));
  const ours = new Set(listed.map(({ id }) => id));
  for (const itemId of input.known) {
    const isPackage =
      asked.includes(itemId) ||
      found.some(({ id }) => id === itemId) ||
      (await findItem(portal, itemId, options))?.type === PACKAGE_TYPE;
    if (isPackage) ours.add(itemId);
  }
  const ends = await eachItem<string, ItemEnd>(
    [...new Set([...ours, ...asked])],
    async (itemId) => {
      const folderId = found.find(({ id }) => id === itemId)?.folderId;
      const end = await removeItem(portal, { owner, itemId, folderId, permanent }, options);
      return { isDone: end === 'deleted' };
    },
    // A guessed ID that this account may not access is not Portolan's.
    (itemId, words) => (ours.has(itemId) ? { line: `${itemId}: ${words}` } : {}),
  );
  return {
    removed: ends.filter(({ isDone }) => isDone).length,
    left: ends.flatMap(({ line }) => line ?? []),
  };
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
    await store.writeJson(keys.packageNote(runId), { until: serverTime() + keepMs });
  } else await dropPackage(store, runId);
  await dropUnsaved(store, runId);
  for await (const key of store.list(keys.packages)) {
    const noted = keys.runOfPackageNote(key);
    const note = noted && (await store.readJson(key, keepNote));
    if (noted && note && note.until < serverTime()) await dropPackage(store, noted);
  }
}

/** Packages in the account's root; all of its packages if a known one is elsewhere. */
async function placed(
  portal: Portal,
  owner: string,
  known: readonly string[],
  options: CallOptions,
): Promise<OwnPackage[]> {
  const inRoot = await packagesOf(portal, owner, options, 'root');
  for (const itemId of known) {
    // The portal may have deleted it at the end of an import.
    if (!inRoot.some(({ id }) => id === itemId) && (await findItem(portal, itemId, options)))
      return await packagesOf(portal, owner, options);
  }
  return inRoot;
}

/** Deletes a run's working files, except those kept with its package. */
async function dropWorking(store: Store, runId: string): Promise<void> {
  for await (const key of store.list(keys.working(runId))) {
    if (!isOfPackage(key, runId)) await store.remove(key);
  }
}

/** Deletes copies and packages of safeguards that never got a manifest. */
async function dropUnsaved(store: Store, runId: string): Promise<void> {
  for await (const key of store.list(keys.run(runId))) {
    const reading = keys.readingOfPlan(key);
    if (reading === undefined) continue;
    const id = safeguardId(runId, reading);
    if (!(await store.openFile(keys.snapshotManifest(id)))) await store.remove(keys.snapshot(id));
  }
}

async function dropPackage(store: Store, runId: string): Promise<void> {
  await store.remove(keys.working(runId));
  // An unfinished upload may be listed under its whole key only.
  await store.remove(keys.package(runId, 0));
  await store.remove(keys.packagesOfRun(runId));
}
