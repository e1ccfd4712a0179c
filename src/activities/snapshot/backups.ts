import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { Context } from '@temporalio/activity';
import { readLiveRows } from '../../domain/snapshot/live-rows';
import { rememberWeights } from '../../domain/transfer/outcomes';
import { shownBySnapshot } from '../../domain/transfer/packing';
import { type PortalFacts, sourceOf } from '../../domain/transfer/portal-facts';
import { isOneAddress } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import { united } from '../../model/transfer/job';
import { listedIds, openExecutions } from '../../domain/run/executions';
import type { LastRun } from '../../model/transfer/requested';
import type { BackupInput } from '../../model/run/run-input';
import {
  type RetentionPolicy,
  addedBytes,
  bytesIn,
  type LiveRow,
  type NamedPackage,
  type SnapshotManifest,
  snapshotRow,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import { isChosen, type RunRoute } from '../../model/transfer/route';
import type { RunRecord } from '../../model/run/run';
import type { PackageInStore } from '../../model/transfer/stored-package';
import { basis, type Basis, contentOf, findBasis, whyBroken } from '../../domain/snapshot/basis';
import { forgetByPolicy as forget } from '../../domain/snapshot/retention/forget';
import { lastGood } from '../../domain/snapshot/list-snapshots';
import { snapshotRows } from '../../domain/snapshot/snapshot-rows';
import { whyChanged } from '../../domain/snapshot/compare-rows';
import { whyUnreadable } from '../../domain/snapshot/unreadable';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { progress, stoppable, stopSignal, activityTime, timestamp } from '../attempt/heartbeat';
import { listsOfJobs, readRequested } from '../transfer/plan/stored-lists';
import { searchAttributeNames } from '../../model/run/run-id';
import { foldersOfItems } from '../../domain/transfer/places';
import { countEach } from '../attempt/each-item';
import { groupContentPages } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { keepContents, type KeptContents } from './keep-contents';
import { keptThumbnail, readOrUndefined } from '../transfer/read-placement';

interface GroupOfBackup {
  readonly runId: string;
  readonly route: RunRoute;
  readonly source: PortalFacts;
}

interface ReadGroupNow extends GroupOfBackup {
  /**
   * Unchanged items are not exported again, unless the last full backup is this old.
   * @format milliseconds @default everything is exported
   */
  readonly fullEveryMs?: number;
  /** Also record placements; then no earlier snapshot is reused. @default false */
  readonly placements?: boolean;
  /** Make a snapshot even if nothing changed. @default false */
  readonly isKept?: boolean;
}

/** Whether a group equals its last good snapshot. */
type GroupNow =
  | { readonly same: true; readonly snapshot: KeptSnapshot }
  | {
      readonly same: false;
      readonly because: string;
      /** Exportable items that equal the last good snapshot and are not exported again. @default 0 */
      readonly stays?: number;
      /** Why everything is exported although not all items changed. */
      readonly whole?: string;
    };

type SnapshotOfRun = NonNullable<RunRecord['snapshot']>;
type KeptSnapshot = Required<Pick<SnapshotOfRun, 'id' | 'sha256' | 'sizeBytes' | 'items'>> &
  Pick<SnapshotOfRun, 'since' | 'addedBytes'>;

interface KeepSnapshot extends GroupOfBackup {
  readonly tags: readonly string[];
  readonly groupTitle?: string;
  /** The exported packages, indexed by the requested items' `part`. */
  readonly packages: readonly PackageInStore[];
  /** When the first of them was requested. @format milliseconds since the epoch @default nothing was exported */
  readonly exportedAt?: number;
  /** A later backup may use it as parent snapshot. @default false */
  readonly isBasis?: boolean;
  readonly scheduledBy?: string;
  /** The group shrank by more than half since the route's last backup. */
  readonly shrunk: boolean;
  /** Number of items in the group. */
  readonly requested: number;
}

const rowsNow = z.array(
  snapshotRow.omit({ saved: true, reason: true, content: true }).extend({ standing: z.string().optional() }),
);

/**
 * Reads the group, including layers of hosted services, before the export and compares it with the route's last good
 * snapshot. If nothing changed, confirms that snapshot. Otherwise saves what this run can reuse of it.
 */
export async function readGroupNow(deps: ActivityDeps, input: ReadGroupNow): Promise<GroupNow> {
  const { portals, store } = deps;
  const { runId, route, source, placements, isKept } = input;
  const read = await readLiveRows(portals.open(source.name), route.source.groupId, source.release, {
    signal: stopSignal(),
    items: route.options.items,
    progress,
  });
  const placed = placements ? await withPlacements(deps, input, read) : undefined;
  const rows = placed?.rows ?? read;
  await store.writeJson(keys.rowsNow(runId), rows);
  await store.remove(keys.basis(runId));
  const found = await compareWithLast(deps, input, rows);
  if (placed && (!found.same || isKept))
    await store.writeJson(keys.rowsNow(runId), await withThumbnails(deps, input, placed));
  return found;
}

/**
 * Commits the new packages, and what is reused of an earlier snapshot, as a snapshot with a row for each item of the
 * group. Rows of items the portal skipped give its reason.
 */
export async function keepSnapshot(
  deps: ActivityDeps,
  input: KeepSnapshot,
): Promise<KeptSnapshot & { failed: number }> {
  const { snapshots, store } = deps;
  const { runId, route, source, packages } = input;
  const requested = await readRequested(store, runId);
  const taken = await store.readJson(keys.basis(runId), basis);
  const stays = new Set(taken?.rows.map(({ itemId }) => itemId));
  const exported = requested.filter(({ itemId }) => !stays.has(itemId));
  const live = (await store.readJson(keys.rowsNow(runId), rowsNow)) ?? [];
  const found = snapshotRows({
    requested: exported,
    live,
    lists: united(await listsOfJobs(store, runId, 'export', requested)),
    isExported: packages.length > 0,
  });
  const named = packages.map(({ key, sizeBytes, sha256 }) => ({ key, sizeBytes, sha256 }));
  const order = requested.map(({ itemId }) => itemId);
  const { rows: given, ...content } = contentOf(taken, { packages: named, rows: found.rows }, order);
  const { rows, contents } = await contentsFor(deps, input, { rows: given, live, taken });
  const manifest = await snapshots.commit(
    {
      id: runId,
      kind: 'backup',
      runId,
      route: route.name,
      scheduledBy: input.scheduledBy,
      tags: [...input.tags],
      chosen: isChosen(route.options) || undefined,
      source: sourceOf(source, route.source.groupId, input.groupTitle),
      takenAt: new Date(input.exportedAt ?? activityTime()).toISOString(),
      complete: found.failed === 0 && !input.shrunk,
      ...content,
      contents: [...contents],
      account: input.isBasis ? source.username : undefined,
    },
    rows,
  );
  if (!manifest.package) throw new PortolanError('INTERNAL', `snapshot ${runId} has no package`);
  await rememberWeights(store, input, shownBySnapshot(manifest, rows, exported));
  if (!input.shrunk) await noteLast(deps, input);
  return { ...keptOf(manifest, manifest.package), failed: found.failed };
}

/**
 * Applies a route's policy, like `portolan snapshot forget`. Throws NOT_AUTHENTIC unless the calling backup was started
 * with it.
 */
export async function forgetByPolicy(
  { authority, snapshots }: ActivityDeps,
  input: {
    route: string;
    /** If absent, all backups are kept. */
    policy?: RetentionPolicy;
  },
): Promise<{ kept: number; forgotten: number }> {
  const { workflowId: runId = '' } = Context.current().info.workflowExecution ?? {};
  const asked = { route: input.route, policy: input.policy };
  const isSigned = ({ route, keep: policy }: BackupInput): boolean =>
    isDeepStrictEqual(asked, { route: route.name, policy });
  await authority.requireSigned(runId, 'backup', isSigned);
  const { decisions, forgotten } = await forget(snapshots, {
    ...input,
    openRuns: await openRuns(),
    now: activityTime(),
  });
  return { kept: decisions.length - forgotten.length, forgotten: forgotten.length };
}

async function compareWithLast(
  { snapshots, store }: ActivityDeps,
  { runId, route, source, fullEveryMs, placements }: ReadGroupNow,
  rows: readonly LiveRow[],
): Promise<GroupNow> {
  const last = (await lastGood(snapshots, route.name))?.manifest;
  if (!last) return { same: false, because: 'first good snapshot of this route' };
  if (!isOfGroup(last, source, route))
    return { same: false, because: `snapshot ${last.id} is from another group` };
  if (!last.package) return { same: false, because: `snapshot ${last.id} has no package` };
  const before = await snapshots.rowsOf(last).catch((thrown: unknown) => whyUnreadable(last.id, thrown));
  if ('why' in before) return { same: false, because: before.why };
  const because = whyChanged(before, rows) ?? (await whyBroken(snapshots, last));
  if (because === undefined) {
    await snapshots.confirm(last.id, { at: timestamp(), runId });
    return { same: true, snapshot: keptOf(last, last.package) };
  }
  if (fullEveryMs === undefined || placements) return { same: false, because };
  const requested = await readRequested(store, runId);
  const next = {
    id: runId,
    requested,
    live: rows,
    account: source.username,
    version: source.version,
    isChosen: isChosen(route.options),
    fullEveryMs,
  };
  const { basis: found, whole } = await findBasis(snapshots, last, before, next, activityTime());
  if (!found) return { same: false, because, whole };
  await store.writeJson(keys.basis(runId), found);
  // Items that no export takes are counted as skipped instead.
  const goes = new Set(requested.flatMap(({ itemId, skip }) => (skip === undefined ? [itemId] : [])));
  return { same: false, because, stays: found.rows.filter(({ itemId }) => goes.has(itemId)).length };
}

/** Keeps the JSON of the items, unless an earlier attempt has committed the snapshot. */
async function contentsFor(
  deps: ActivityDeps,
  { runId, route, source }: KeepSnapshot,
  { rows, live, taken }: { rows: SnapshotRow[]; live: readonly LiveRow[]; taken?: Basis },
): Promise<KeptContents> {
  const { snapshots } = deps;
  if (await snapshots.find(runId)) return { rows, contents: [] };
  const last = (await lastGood(snapshots, route.name))?.manifest;
  const isBase = last && isOfGroup(last, source, route) && last.source.version === source.version;
  const claimed = (taken?.packages ?? []).map((each) => ({ of: taken?.since.id ?? '', package: each }));
  const base = isBase ? last : undefined;
  const { groupId } = route.source;
  return await keepContents(deps, { runId, source, groupId, rows, live, claimed, base, isWhole: !taken });
}

/** Lets the route's next backup detect a group that shrank. */
async function noteLast({ store }: ActivityDeps, { runId, route, requested }: KeepSnapshot): Promise<void> {
  const note: LastRun = { runId, endedAt: timestamp(), requested, modified: {} };
  await store.writeJson(keys.lastRun(route), note);
}

const isOfGroup = ({ source: from }: SnapshotManifest, source: PortalFacts, route: RunRoute): boolean =>
  isOneAddress(from.url, source.url) &&
  from.portalId === source.portalId &&
  from.groupId === route.source.groupId;

const keptOf = (manifest: SnapshotManifest, { sha256 }: NamedPackage): KeptSnapshot => {
  const { id, rows, since } = manifest;
  const builds = since && { since: since.id, addedBytes: addedBytes(manifest) };
  return { id, sha256, sizeBytes: bytesIn(manifest), items: rows.saved, ...builds };
};

/** IDs of all open runs, which may still need their files in the store. */
export async function openRuns(): Promise<ReadonlySet<string>> {
  const { client } = Context.current();
  const query = `${searchAttributeNames.kind} IS NOT NULL AND ${openExecutions}`;
  const open = new Set<string>();
  for await (const runId of listedIds(client, query)) open.add(runId);
  return open;
}

/** Rows with each item's current placement, without thumbnails; and the records that name them. */
interface PlacedRows {
  readonly rows: readonly LiveRow[];
  readonly items: ReadonlyMap<string, Item>;
}

/** Without groups: those of one portal mean nothing on another. */
async function withPlacements(
  { portals }: ActivityDeps,
  { route, source }: GroupOfBackup,
  rows: readonly LiveRow[],
): Promise<PlacedRows> {
  const portal = portals.open(source.name);
  const asked = new Set(rows.map(({ itemId }) => itemId));
  const listed: Item[] = [];
  for await (const page of groupContentPages(portal, route.source.groupId))
    listed.push(...page.filter(({ id }) => asked.has(id)));
  const folders = await foldersOfItems(portal, listed, source, stoppable());
  const items = new Map(listed.map((item) => [item.id, item]));
  const placed = rows.map((row): LiveRow => {
    const item = items.get(row.itemId);
    if (!item) return row;
    const { owner, access, protected: isProtected = false } = item;
    return { ...row, placement: { owner, access, protected: isProtected, ...folders.get(item.id) } };
  });
  return { rows: placed, items };
}

/** Adds the thumbnails, which are saved with the run's snapshot. */
async function withThumbnails(
  { portals, store }: ActivityDeps,
  { runId, source }: GroupOfBackup,
  { rows, items }: PlacedRows,
): Promise<LiveRow[]> {
  const portal = portals.open(source.name);
  return await countEach(rows, async (row) => {
    const item = items.get(row.itemId);
    const thumbnail = item && (await readOrUndefined(() => keptThumbnail(portal, store, item, runId)));
    return thumbnail && row.placement ? { ...row, placement: { ...row.placement, thumbnail } } : row;
  });
}
