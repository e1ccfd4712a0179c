import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Portal } from '../../portal/client';
import type { CallOptions } from '../../portal/http/request';
import { PACKAGE_TYPE } from '../../portal/resources/items/item';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { requireUser } from './exports';
import { lastError, stopSignal } from '../attempt/heartbeat';
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

export function createPackageActivities({ portals, store, authority }: ActivityDeps) {
  return {
    /**
     * Deletes every package of the run from one portal, permanently: the `known` ones, the one it requested by ID, and any
     * tagged with the run's ID. A missing package is no error. An item that is not a package is not Portolan's, whatever
     * `known` says. Returns what remains.
     *
     * If the run is `settled`, all its exports are known. Folders are then searched only if a known package is there and not
     * in the root.
     */
    async removePackages(input: {
      runId: string;
      portal: PortalFacts;
      known: readonly string[];
      /** @default false */
      settled?: boolean;
    }): Promise<{ removed: number; left: string[] }> {
      await authority.requireOpen(input.runId);
      const portal = portals.open(input.portal.name);
      const owner = requireUser(input.portal);
      const options = { signal: stopSignal() };
      const permanent = input.portal.recycleBin;
      const found = input.settled
        ? await placed(portal, owner, input.known, options)
        : await packagesOf(portal, owner, options);
      const listed = found.filter(({ item }) => isOfRun(item, input.runId));
      const asked = packageItemId(input.runId);
      const ours = new Set(listed.map(({ id }) => id));
      for (const itemId of input.known) {
        const isPackage =
          itemId === asked ||
          found.some(({ id }) => id === itemId) ||
          (await findItem(portal, itemId, options))?.type === PACKAGE_TYPE;
        if (isPackage) ours.add(itemId);
      }
      let removed = 0;
      const left: string[] = [];
      for (const itemId of new Set([...ours, asked])) {
        const folderId = found.find(({ id }) => id === itemId)?.folderId;
        try {
          const end = await removeItem(portal, { owner, itemId, folderId, permanent }, options);
          if (end === 'deleted') removed += 1;
        } catch (thrown) {
          const error = lastError(thrown);
          // A guessed ID that this account may not access is not Portolan's.
          if (ours.has(itemId)) left.push(`${itemId}: ${error.plainMessage}`);
        }
      }
      return { removed, left };
    },

    /**
     * Keeps a run's package, and what a run reusing it needs, for `keepMs`. Keeps its record, plans, results and
     * verification for good. Deletes unfinished safeguards and expired packages of earlier runs.
     */
    async tidyStore(input: { runId: string; keepMs: number }): Promise<void> {
      const { runId } = input;
      // A run that ended before it had a package needs no expiry file.
      const kept = input.keepMs > 0 && (await store.openFile(keys.package(runId)));
      if (kept) {
        await dropWorking(runId);
        await store.writeJson(keys.packageNote(runId), { until: serverTime() + input.keepMs });
      } else await dropPackage(runId);
      await dropUnsaved(runId);
      for await (const key of store.list(keys.packages)) {
        const noted = keys.runOfPackageNote(key);
        const note = noted && (await store.readJson(key, keepNote));
        if (noted && note && note.until < serverTime()) await dropPackage(noted);
      }
    },
  };

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
  async function dropWorking(runId: string): Promise<void> {
    for await (const key of store.list(keys.working(runId))) {
      if (!isOfPackage(key, runId)) await store.remove(key);
    }
  }

  /** Deletes copies and packages of safeguards that never got a manifest. */
  async function dropUnsaved(runId: string): Promise<void> {
    for await (const key of store.list(keys.run(runId))) {
      const reading = keys.readingOfPlan(key);
      if (reading === undefined) continue;
      const id = safeguardId(runId, reading);
      if (!(await store.openFile(keys.snapshotManifest(id)))) await store.remove(keys.snapshot(id));
    }
  }

  async function dropPackage(runId: string): Promise<void> {
    await store.remove(keys.working(runId));
    await store.remove(keys.package(runId));
    await store.remove(keys.furtherPackages(runId));
    await store.remove(keys.packageNote(runId));
  }
}
