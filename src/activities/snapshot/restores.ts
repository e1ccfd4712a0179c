import { askGuards } from '../../domain/transfer/guards/guard-list';
import { importAccount } from '../../domain/transfer/created-items';
import { factsOf, type PortalFacts } from '../../domain/transfer/portal-facts';
import { unsettle } from '../../domain/transfer/outcomes';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/run';
import type { Requested, RequestedItem } from '../../model/transfer/requested';
import type { PlacementRules } from '../../model/transfer/placement';
import type { Route } from '../../model/transfer/route';
import {
  isPackaged,
  type NamedPackage,
  packageOf,
  packagesIn,
  type SnapshotManifest,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { noteDamage } from '../../domain/snapshot/packages';
import { lastGood } from '../../domain/snapshot/list-snapshots';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { stoppable } from '../attempt/heartbeat';
import { hashOf, openPackage } from '../transfer/packages';
import { chosenItems, figuresOf, writeRequested } from '../transfer/plan/stored-lists';

export interface OpenSnapshot {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  /** @default the route's last good snapshot */
  readonly snapshotId?: string;
  /** Why it is opened; a drill must change nothing. */
  readonly purpose: 'restore' | 'drill' | 'drill with import';
  /** The placement to apply to created items. @default none */
  readonly placementRules?: PlacementRules;
}

interface OpenedSnapshot {
  readonly id: string;
  /** The portal it was taken from, as it was then. */
  readonly source: PortalFacts;
  readonly groupTitle?: string;
  /** The needed packages, indexed by the requested items' `part`; none if only copies are needed. */
  readonly packages: readonly PackageInStore[];
  readonly requested: Requested;
  /** Items saved as copies instead of in the package. */
  readonly copies: number;
  readonly results: GuardResult[];
}

/**
 * Checks whether a snapshot can go to a target, and prepares its content for a run.
 * Throws SNAPSHOT_NOT_FOUND, SNAPSHOT_ALTERED, SNAPSHOT_INCOMPLETE.
 */
export async function openSnapshot(deps: ActivityDeps, input: OpenSnapshot): Promise<OpenedSnapshot> {
  const { portals, snapshots, store } = deps;
  const { runId, route, target, purpose } = input;
  const manifest = await manifestFor(deps, input);
  const rows = await snapshots.rowsOf(manifest);
  const items = await chosenItems(store, route.options);
  const chosen = rowsChosen(manifest, rows, items);
  const source = factsOf(manifest.source);
  if (purpose !== 'drill') await unsettle(store, route.target.groupId);
  const packages = packagesFor(manifest, chosen);
  const requested = chosen.map((row) => {
    const packageIndex = packages.findIndex((each) => each === packageOf(manifest, row));
    const owner = input.placementRules && row.owner;
    return { ...requestedOf(row, Math.max(0, packageIndex)), owner };
  });
  await writeRequested(store, runId, requested);
  await store.writeJson(
    keys.sourceIds(runId),
    rows.map(({ itemId }) => itemId),
  );
  await store.writeJson(keys.sourceCounts(runId), countsOf(chosen));
  return {
    id: manifest.id,
    source,
    groupTitle: manifest.source.groupTitle,
    packages: packages.map((each) => ({ ...each, sizeChecked: true })),
    requested: {
      ...figuresOf(requested, rows.length),
      knownBytes: chosen.reduce((sum, { size = 0 }) => sum + Math.max(size, 0), 0),
    },
    copies: chosen.filter(({ saved }) => saved === 'copy').length,
    results: [
      ...(await askGuards(
        'pair',
        { source, target, isScratch: portals.isScratch(target.name) },
        { run: purpose },
      )),
      ...(await askOwners(deps, input, chosen)),
    ],
  };
}

/** Reads a whole stored package. Throws PACKAGE_MISSING, and SNAPSHOT_ALTERED if it differs from its manifest. */
export async function checkStored(
  { store }: ActivityDeps,
  { key, sha256, sizeBytes }: PackageInStore,
): Promise<void> {
  const file = await openPackage(store, key);
  const found = await hashOf(file);
  if (found === sha256 && file.size === sizeBytes) return;
  await noteDamage(store, key, `has sha256 ${found}`);
  throw new PortolanError(
    'SNAPSHOT_ALTERED',
    `${key} in the store at ${store.where} has sha256 ${found}, not ${sha256} as in its manifest`,
  );
}

/** The future owners of created items must exist beforehand. */
async function askOwners(
  { portals }: ActivityDeps,
  { placementRules, route, target }: OpenSnapshot,
  rows: readonly SnapshotRow[],
): Promise<GuardResult[]> {
  if (!placementRules?.owners) return [];
  return await askGuards(
    'owners',
    {
      portal: portals.open(target.name),
      facts: target,
      owners: placementRules.owners,
      account: importAccount(target, route),
      items: rows.filter(isPackaged),
    },
    {},
    stoppable(),
  );
}

async function manifestFor(
  { snapshots }: ActivityDeps,
  { route, snapshotId }: OpenSnapshot,
): Promise<SnapshotManifest> {
  if (snapshotId !== undefined) return await snapshots.read(snapshotId);
  const last = await lastGood(snapshots, route.name);
  if (last) return last.manifest;
  throw new PortolanError('SNAPSHOT_NOT_FOUND', `route ${route.name} has no good snapshot yet`, {
    hint: `Create one: portolan backup create ${route.name}`,
  });
}

/** The requested rows. An ID missing from the snapshot is refused by name. */
function rowsChosen(
  { id }: SnapshotManifest,
  rows: readonly SnapshotRow[],
  items: readonly string[] | undefined,
): SnapshotRow[] {
  if (!items) return [...rows];
  const desired = new Set(items);
  const found = rows.filter(({ itemId }) => desired.has(itemId));
  const saved = new Set(found.filter(({ saved: how }) => how !== 'no').map(({ itemId }) => itemId));
  const missing = items.filter((itemId) => !saved.has(itemId));
  if (missing.length === 0) return found;
  throw new PortolanError('SNAPSHOT_INCOMPLETE', `snapshot ${id} does not contain ${missing.join(', ')}`, {
    hint: `See its items: portolan snapshot show ${id}`,
  });
}

/**
 * The packages that hold these rows, in import order: an item's package comes after those it depends on. Throws
 * SNAPSHOT_ALTERED.
 */
function packagesFor(manifest: SnapshotManifest, rows: readonly SnapshotRow[]): NamedPackage[] {
  const needed = new Set(rows.filter(isPackaged).map((row) => packageOf(manifest, row)));
  const all = packagesIn(manifest);
  const added = all.slice(0, manifest.since?.added);
  const before = all.slice(added.length).reverse();
  if (!needed.has(undefined)) return [...before, ...added].filter((each) => needed.has(each));
  throw new PortolanError(
    'SNAPSHOT_ALTERED',
    `rows of snapshot ${manifest.id} name a package that is not in its manifest`,
  );
}

const requestedOf = (
  { itemId, type, title, size, modified, url, hosted, saved, reason }: SnapshotRow,
  packageIndex: number,
): RequestedItem => ({
  itemId,
  type,
  title,
  size,
  modified,
  url,
  hosted,
  skip: saved === 'no' ? (reason ?? 'it is not in the snapshot') : undefined,
  packageIndex,
});

/** Rows of every layer at snapshot time, to compare with the restored ones. */
const countsOf = (rows: readonly SnapshotRow[]): Record<string, unknown> =>
  Object.fromEntries(
    rows.flatMap(({ itemId, layers }) =>
      layers ? [[itemId, layers.map(({ layerId, name, count }) => ({ layerId, name, count }))]] : [],
    ),
  );
