import { z } from 'zod';
import { packageItemId, packagesOf, uploadName } from '../../../domain/transfer/own-packages';
import { readPortalFacts } from '../../../domain/transfer/portal-facts';
import { jobLists } from '../../../model/transfer/job';
import type { RunRecord } from '../../../model/run/run';
import { isPackaged } from '../../../model/transfer/plan';
import type { Reuse } from '../../../model/run/run-input';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';
import { readPlan } from '../read-run';
import type { StoredSources } from '../run-sources';
import { targetOf } from '../run-view';

/** A package in the store that a later run can reuse. */
export interface LeftPackage extends Pick<Reuse, 'runId' | 'sha256'> {
  readonly sizeBytes: number;
}

/**
 * The package a run stored or reused, with its listing; undefined if one of them is gone. The run that uses it
 * hashes it.
 */
export async function findPackageInStore(store: Store, record: RunRecord): Promise<LeftPackage | undefined> {
  // Runs with several packages create them again.
  if (!record.package || record.package.parts > 1) return undefined;
  const { of: runId = record.runId, sizeBytes, sha256 } = record.package;
  const [file, listing] = await Promise.all([
    store.openFile(keys.package(runId, 0)),
    store.readJson(keys.sourceIds(runId), z.array(z.string())).catch(() => undefined),
  ]);
  return file && listing ? { runId, sizeBytes, sha256 } : undefined;
}

/**
 * Whether the package is known to hold all of these items: by the run's plan, else by the items the export skipped.
 */
export async function isInPackage(
  store: Store,
  record: RunRecord,
  { runId }: LeftPackage,
  itemIds: readonly string[],
): Promise<boolean> {
  if (record.plan) {
    const rows = (await readPlan(store, record)).value?.rows.filter(isPackaged);
    const held = new Set(rows?.map(({ itemId }) => itemId));
    return itemIds.every((itemId) => held.has(itemId));
  }
  const lists = await store.readJson(keys.jobLists(runId, 'export', 0), jobLists).catch(() => undefined);
  const left = new Set([...(lists?.failed ?? []), ...(lists?.skipped ?? [])].map(({ itemId }) => itemId));
  return !itemIds.some((itemId) => left.has(itemId));
}

/** The run's package item, if the target still has it. Throws the portal's errors. */
export async function findPackageOnTarget(
  { config, signal }: Pick<StoredSources, 'config' | 'signal'>,
  record: RunRecord,
  { sizeBytes }: LeftPackage,
): Promise<string | undefined> {
  const { PortalPool } = await import('../../../config/portal-pool.js');
  const portals = new PortalPool(config, signal);
  try {
    const portal = portals.open(targetOf(record).portal);
    const { username } = await readPortalFacts(portal);
    if (username === undefined) return undefined;
    return (await packagesOf(portal, username)).find(
      ({ id, item }) =>
        (id === packageItemId(record.runId, 0) || item.title === uploadName(record.runId, 0)) &&
        item.size === sizeBytes,
    )?.id;
  } finally {
    await portals.close();
  }
}
