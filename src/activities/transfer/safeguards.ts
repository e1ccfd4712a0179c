import { Readable } from 'node:stream';
import { z } from 'zod';
import { sourceOf, type RunOnTarget } from '../../domain/transfer/portal-facts';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import type { Placement } from '../../model/transfer/placement';
import { isOverwritten, type PlanRow } from '../../model/transfer/plan';
import { previewRow } from '../../model/transfer/preview';
import {
  type NamedPackage,
  type SnapshotCopy,
  snapshotRow,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import type { PackageInStore } from '../../model/transfer/stored-package';
import type { Portal } from '../../portal/client';
import { readOwnGroups } from '../../portal/resources/groups';
import { type Download, downloadItemData } from '../../portal/resources/items/download';
import { GroupsOfItems } from '../../portal/resources/items/item-groups';
import { listItemFiles, openItemFile } from '../../portal/resources/items/item-files';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { readItem, unlessNoData } from '../../portal/resources/items/items';
import { hashOfJson } from '../../domain/snapshot/hashing';
import { keepCopy, type KeptFile } from '../../domain/snapshot/keep-copy';
import { takenAtOf } from '../../domain/snapshot/snapshot-age';
import { snapshotKeys } from '../../domain/snapshot/snapshot-keys';
import { keys, pageName } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { eachPage } from '../attempt/each-item';
import { lastError, lastProgress, progress, stopSignal } from '../attempt/heartbeat';
import { readIds, readPages, readPlanFile } from './plan/stored-lists';
import { orNothing, type Placed, placementsIn, readStanding, type Standing } from './read-placement';
import { Roots } from '../../domain/transfer/places';
import { serverTime } from '../attempt/clock';

export interface CompleteSafeguard extends RunOnTarget {
  readonly planRef: string;
  readonly snapshotId: string;
  readonly packages: readonly SafeguardPackage[];
  /** The run's previous safeguard, if any: it has the placement of items an import has changed since. */
  readonly earlier?: string;
}

/** An exported package, and the store prefix of its rows. */
export interface SafeguardPackage {
  readonly package: PackageInStore;
  readonly contents: string;
}

/** What a safeguard holds, and which parts of its items could not be restored, one line each. */
export interface SafeguardTaken {
  readonly items: number;
  readonly copied: number;
  /** Absent if an earlier attempt committed the snapshot. */
  readonly beyond?: readonly string[];
}

/** Items between two saves of progress, which a killed worker may have to save again. */
const ITEMS_A_MARK = 8;

/** The state of a saved item. */
const savedItem = z.object({ row: snapshotRow, beyond: z.array(z.string()).readonly().optional() });
type SavedItem = z.infer<typeof savedItem>;

/** How many lines about unrestorable parts are reported. */
const LINES_MAX = 20;

/**
 * Ensures that everything the plan overwrites is saved, with its placement. Writes the manifest last, and none if
 * nothing is overwritten. Items missing from the package are copied one by one: record, data, resources and thumbnail.
 * Throws ITEM_TOO_LARGE, ANSWER_TOO_LARGE or TRANSFER_STALLED if a portal sends too much, or too slowly, and
 * SAFEGUARD_INCOMPLETE if something can be saved neither way.
 */
export async function completeSafeguard(
  deps: ActivityDeps,
  input: CompleteSafeguard,
): Promise<SafeguardTaken> {
  const { snapshots, store } = deps;
  // A committed snapshot names its copies by their hashes, so they must not be written again.
  const committed = await snapshots.find(input.snapshotId);
  if (committed) return figuresOf(await snapshots.rowsOf(committed));
  const plan = await readPlanFile(store, input.planRef);
  const overwritten = plan.rows.filter(isOverwritten);
  if (overwritten.length === 0) return figuresOf([]);
  const { packages } = input;
  const inPackage = new Map<string, number>();
  for (const [index, { contents }] of packages.entries())
    for (const { itemId } of await readPages(store, contents, previewRow)) inPackage.set(itemId, index);
  const { target, route, runId } = input;
  const readStandings = await standingReader(deps, input);
  const pageAt = (from: number): string => `${keys.saved(runId, input.snapshotId)}${pageName(from)}`;
  await eachPage(overwritten, ITEMS_A_MARK, async (page, from, count) => {
    const standings = await readStandings(page);
    const saved: SavedItem[] = [];
    for (const row of page) {
      const copy = inPackage.has(row.itemId) ? undefined : await copyItem(deps, input, row);
      const { placement, beyond } = standings.get(row.itemId) ?? {};
      saved.push({
        row: snapshotRowOf(row, { copy, placement, part: inPackage.get(row.itemId) }),
        beyond: row.action === 'overwrite' ? beyond : undefined,
      });
      count(saved.length);
    }
    await store.writeJson(pageAt(from), saved);
  });
  const all: SavedItem[] = [];
  for (let from = 0; from < overwritten.length; from += ITEMS_A_MARK)
    all.push(...((await store.readJson(pageAt(from), z.array(savedItem))) ?? []));
  const rows = all.map(({ row }) => row);
  const [packaged, ...more] = packages.map((each) => each.package);
  await snapshots.commit(
    {
      id: input.snapshotId,
      kind: 'safeguard',
      runId,
      route: route.name,
      tags: [],
      source: sourceOf(target, route.target.groupId),
      takenAt: takenAtOf(packaged?.madeAt, serverTime()),
      complete: true,
      package: packaged && named(packaged),
      more: more.length > 0 ? more.map(named) : undefined,
    },
    rows,
  );
  const beyond = all.flatMap(({ row, beyond: lines = [] }) =>
    lines.map((words) => `"${row.title}" ${words}`),
  );
  return { ...figuresOf(rows), beyond: atMost(beyond) };
}

/** Reads placements; for items changed by an earlier import of the run, those before it. */
async function standingReader(
  deps: ActivityDeps,
  { runId, target, snapshotId, earlier }: CompleteSafeguard,
): Promise<(rows: readonly PlanRow[]) => Promise<ReadonlyMap<string, Standing>>> {
  const { store, snapshots, portals } = deps;
  const moved = await readIds(store, keys.movedBefore(runId));
  const before =
    moved.size > 0 && earlier !== undefined ? await placementsIn(snapshots, [earlier]) : undefined;
  const portal = portals.open(target.name);
  const signal = stopSignal();
  const reader = {
    ...{ portal, store, target, roots: new Roots(portal, { signal }) },
    groups: new GroupsOfItems(portal, { signal }, lastError),
    ownGroups: await ownGroupsOf(portal, signal),
  };
  return async (rows) =>
    new Map(
      await mapLimited(rows, REQUESTS_AT_A_TIME, async ({ itemId }) => {
        const was = moved.has(itemId) ? before?.get(itemId) : undefined;
        const standing = was
          ? { placement: await carried(deps, was, snapshotId, itemId), beyond: [] }
          : await readStanding(reader, { itemId, snapshotId }, signal);
        return [itemId, standing] as const;
      }),
    );
}

/** Copies a thumbnail of the earlier safeguard into this one. */
async function carried(
  { store }: ActivityDeps,
  { placement, snapshotId: from }: Placed,
  to: string,
  itemId: string,
): Promise<Placement> {
  const { thumbnail, ...rest } = placement;
  const file = thumbnail && (await store.openFile(snapshotKeys.thumbnail(from, itemId)));
  if (!file) return rest;
  const partial = await store.openPartial(snapshotKeys.thumbnail(to, itemId));
  await partial.restart();
  await partial.append(file.open(0, file.size));
  await partial.commit();
  return placement;
}

async function copyItem(
  { portals, store }: ActivityDeps,
  input: CompleteSafeguard,
  row: PlanRow,
): Promise<SnapshotCopy> {
  const { target, snapshotId } = input;
  if (row.hosted) throw incomplete(row, onlyByExport);
  const portal = portals.open(target.name);
  const signal = stopSignal();
  let room = input.route.options.limits.itemBytes;
  const keep = async (key: string, download: Pick<Download, 'body' | 'totalBytes'>): Promise<KeptFile> => {
    const kept = await keepCopy(store, key, download, { atMost: room, portal: target.name });
    room -= kept.sizeBytes;
    return kept;
  };
  try {
    const record = await readItem(portal, row.itemId, { signal });
    await store.writeJson(snapshotKeys.copiedRecord(snapshotId, row.itemId), record);
    const open = () => downloadItemData(portal, row.itemId, { from: 0 }, { signal });
    const answer = (await unlessNoData(portal, row.itemId, open, { signal })) ?? {
      body: Readable.from([]),
    };
    const data = await keep(snapshotKeys.copiedData(snapshotId, row.itemId), answer);
    const files: NonNullable<SnapshotCopy['files']> = [];
    for (const file of await listItemFiles(portal, record, { signal })) {
      const opened = await openItemFile(portal, row.itemId, file, { signal });
      if (!opened) continue;
      const key = snapshotKeys.copiedFile(snapshotId, row.itemId, files.length);
      files.push({ ...file, ...(await keep(key, opened)) });
      progress({ ...lastProgress<object>(), copying: row.itemId, files: files.length });
    }
    const { inGroup } = row.target ?? {};
    const { sha256: dataSha256, sizeBytes } = data;
    return { recordSha256: hashOfJson(record), dataSha256, sizeBytes, files, inGroup };
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    if (error.meaning.kind !== 'permanent') throw error;
    throw incomplete(row, error);
  }
}

/** With more groups, reading their listings would take too long. */
const OWN_GROUPS_MAX = 25;

/** The account's groups, whose listings may name items that do not name them; none if there are too many. */
async function ownGroupsOf(portal: Portal, signal: AbortSignal): Promise<readonly string[]> {
  const groups = (await orNothing(() => readOwnGroups(portal, { signal }))) ?? [];
  return groups.length > OWN_GROUPS_MAX ? [] : groups.map(({ id }) => id);
}

function snapshotRowOf(
  { itemId, type, title, hosted, target: { modified, owner } = {} }: PlanRow,
  { copy, placement, part }: { copy?: SnapshotCopy; placement?: Placement; part?: number },
): SnapshotRow {
  return {
    ...{ itemId, type, title, modified, owner, hosted: hosted || undefined },
    saved: copy ? 'copy' : 'package',
    package: part || undefined,
    copy,
    placement,
  };
}

const named = ({ key, sizeBytes, sha256 }: PackageInStore): NamedPackage => ({ key, sizeBytes, sha256 });

const atMost = (lines: readonly string[]): readonly string[] =>
  lines.length <= LINES_MAX
    ? lines
    : [...lines.slice(0, LINES_MAX), `and ${lines.length - LINES_MAX} more like this`];

const figuresOf = (rows: readonly SnapshotRow[]): { items: number; copied: number } => ({
  items: rows.length,
  copied: rows.filter(({ saved }) => saved === 'copy').length,
});

const onlyByExport = new PortolanError(
  'SAFEGUARD_INCOMPLETE',
  'only an export can save its layers and their data, but the export skipped it',
);

/** Errors that keep their own code, because they need a different remedy. */
const namedAsTheyAre: ReadonlySet<ErrorCode> = new Set([
  'ITEM_TOO_LARGE',
  'ANSWER_TOO_LARGE',
  'TRANSFER_STALLED',
]);

const incomplete = (row: PlanRow, { code, plainMessage, facts }: PortolanError): PortolanError =>
  new PortolanError(
    namedAsTheyAre.has(code) ? code : 'SAFEGUARD_INCOMPLETE',
    `"${row.title}" (${row.type}) would be overwritten but could not be saved: ${plainMessage}`,
    { portal: facts.portal },
  );
