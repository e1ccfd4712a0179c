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
     * Removes every package of the run on one portal, past the recycle bin where there is one: the `known` ones, those
     * it asked for by id, and any that carries the run's id. Their absence is as good, and what is no package is none
     * of ours, whatever is said to be known. Returns what stays.
     *
     * Of a run that is `settled`, whose every export is known by what it made, folders are looked through only where one
     * of these is there and not in the root.
     */
    async removePackages(input: {
      runId: string;
      portal: PortalFacts;
      known: readonly string[];
      /** How many packages it has. */
      parts: number;
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
      const asked = Array.from({ length: input.parts }, (_, part) => packageItemId(input.runId, part));
      const ours = new Set(listed.map(({ id }) => id));
      for (const itemId of input.known) {
        const isPackage =
          asked.includes(itemId) ||
          found.some(({ id }) => id === itemId) ||
          (await findItem(portal, itemId, options))?.type === PACKAGE_TYPE;
        if (isPackage) ours.add(itemId);
      }
      let removed = 0;
      const left: string[] = [];
      for (const itemId of new Set([...ours, ...asked])) {
        const folderId = found.find(({ id }) => id === itemId)?.folderId;
        try {
          const end = await removeItem(portal, { owner, itemId, folderId, permanent }, options);
          if (end === 'deleted') removed += 1;
        } catch (thrown) {
          const error = lastError(thrown);
          // An id that was only guessed, and that this account may not touch, is not ours.
          if (ours.has(itemId)) left.push(`${itemId}: ${error.plainMessage}`);
        }
      }
      return { removed, left };
    },

    /**
     * Leaves of a run what its route says: the package, with what a run that takes it over must know, for `keepMs`;
     * its record, plans, ledger and verification for good. What was to be a safeguard and never became one goes, and so
     * do packages of earlier runs whose time is over.
     */
    async tidyStore(input: { runId: string; keepMs: number }): Promise<void> {
      const { runId } = input;
      // A run that ended before it had a package leaves no note about one.
      const kept = input.keepMs > 0 && (await store.openFile(keys.package(runId, 0)));
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

  /** Packages in the root of an account; all of them where one of these is elsewhere. */
  async function placed(
    portal: Portal,
    owner: string,
    known: readonly string[],
    options: CallOptions,
  ): Promise<OwnPackage[]> {
    const inRoot = await packagesOf(portal, owner, options, 'root');
    for (const itemId of known) {
      // A portal may have taken it away with the end of an import.
      if (!inRoot.some(({ id }) => id === itemId) && (await findItem(portal, itemId, options)))
        return await packagesOf(portal, owner, options);
    }
    return inRoot;
  }

  /** What a run needed for itself; what belongs to its package stays with that. */
  async function dropWorking(runId: string): Promise<void> {
    for await (const key of store.list(keys.working(runId))) {
      if (!isOfPackage(key, runId)) await store.remove(key);
    }
  }

  /** Copies, and the whole or partial package, of safeguards that were given up before they had a manifest. */
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
    // An unfinished upload may be listed under its whole key only.
    await store.remove(keys.package(runId, 0));
    await store.remove(keys.packagesOfRun(runId));
  }
}
