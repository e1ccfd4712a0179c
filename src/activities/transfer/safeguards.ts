import { Readable } from 'node:stream';
import { z } from 'zod';
import { sourceOf, type RunOnPlan } from '../../domain/transfer/portal-facts';
import type { ErrorCode } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { mapLimited } from '../../model/map-limited';
import { listFirst } from '../../model/text/words';
import type { Placement } from '../../model/transfer/placement';
import { isOverwritten, type Plan, type PlanRow, previewRow } from '../../model/transfer/plan';
import {
  type NamedPackage,
  packageOf,
  type SnapshotCopy,
  snapshotRow,
  type SnapshotRow,
} from '../../model/snapshot/snapshot';
import type { PackageInStore } from '../../model/transfer/stored-package';
import type { Portal } from '../../portal/client';
import { readOwnGroups } from '../../portal/resources/groups';
import { type Download, downloadItemData } from '../../portal/resources/items/download';
import { listItemFiles, openItemFile } from '../../portal/resources/items/item-files';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import { readItem, unlessNoData } from '../../portal/resources/items/items';
import { hashOfJson } from '../../domain/snapshot/hashing';
import { filesOfItem } from '../../domain/snapshot/copied-files';
import { type ItemContent, readContent } from '../../domain/change/item-content';
import { contentOf, ContentsWriter, keptLine } from '../../domain/snapshot/contents';
import { retrier } from '../../domain/transfer/retry';
import { keepCopy, type KeptFile } from '../../domain/snapshot/keep-copy';
import { claimPackages } from '../../domain/snapshot/packages';
import { snapshotKeys, keys, pageName } from '../../store/keys';
import { type Store, writeFile } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { countEach, eachPage } from '../attempt/each-item';
import { progress, stopSignal, activityTime } from '../attempt/heartbeat';
import { isAsMoved, readMoved, readPages, readPlanFile } from './plan/stored-lists';
import { placementReader, readOrUndefined, readPlacement } from './read-placement';

export interface CompleteSafeguard extends RunOnPlan {
  readonly snapshotId: string;
  readonly packages: readonly SafeguardPackage[];
  /** The run's previous safeguard, if any: it has what the run has overwritten since. */
  readonly earlier?: string;
  /** How many of the run's packages are imported, the first ones. */
  readonly imported: number;
}

/** An exported package, and the store prefix of its rows. */
export interface SafeguardPackage {
  readonly package: PackageInStore;
  /** When its export was requested. @format milliseconds since the epoch */
  readonly exportedAt: number;
  readonly contents: string;
}

/** What a safeguard holds, and which parts of its items could not be restored, one line each. */
interface SafeguardTaken {
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
 * Ensures that everything the plan overwrites is saved, with its placement. What the run itself has overwritten already
 * is taken over from its earlier safeguard. Writes the manifest last, and none if nothing is overwritten. Items missing
 * from the package are copied one by one: record, data, resources and thumbnail.
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
  const before = await rowsBefore(deps, input, plan);
  const isBefore = new Set(before.map(({ row }) => row.itemId));
  const overwritten = plan.rows.filter((row) => isOverwritten(row) && !isBefore.has(row.itemId));
  if (overwritten.length + before.length === 0) return figuresOf([]);
  const { packages } = input;
  const inPackage = new Map<string, number>();
  for (const [index, { contents }] of packages.entries())
    for (const { itemId } of await readPages(store, contents, previewRow)) inPackage.set(itemId, index);
  const { target, route, runId } = input;
  const portal = deps.portals.open(target.name);
  const reader = { ...placementReader(portal, target), ownGroups: await ownGroupsOf(portal) };
  for (const each of before) await takeOver(deps, each, input.snapshotId);
  const pageAt = (from: number): string => `${keys.saved(runId, input.snapshotId)}${pageName(from)}`;
  await eachPage(overwritten, ITEMS_A_MARK, async (page, from, count) => {
    const placed = await mapLimited(page, REQUESTS_AT_A_TIME, ({ itemId }) =>
      readPlacement(reader, store, { itemId, snapshotId: input.snapshotId }),
    );
    const saved: SavedItem[] = [];
    for (const [at, row] of page.entries()) {
      const copy = inPackage.has(row.itemId) ? undefined : await copyItem(deps, input, row);
      const { placement, beyond } = placed[at] ?? {};
      saved.push({
        row: snapshotRowOf(row, { copy, placement, packageIndex: inPackage.get(row.itemId) }),
        beyond: row.action === 'overwrite' ? beyond : undefined,
      });
      count(saved.length);
    }
    await store.writeJson(pageAt(from), saved);
  });
  const all: SavedItem[] = [];
  for (let from = 0; from < overwritten.length; from += ITEMS_A_MARK)
    all.push(...((await store.readJson(pageAt(from), z.array(savedItem))) ?? []));
  const { rows: withContent, contents } = await keepContents(deps, input, { overwritten: all, before });
  const held = packages.map((each) => named(each.package));
  const taken = [...new Set(before.flatMap(({ holding }) => holding ?? []))];
  await claim(deps, input, taken);
  const packageOfTaken = new Map(
    before.map(({ row, holding }) => [
      row.itemId,
      holding && (held.length + taken.indexOf(holding) || undefined),
    ]),
  );
  const rows = withContent.map((row) =>
    packageOfTaken.has(row.itemId) ? { ...row, package: packageOfTaken.get(row.itemId) } : row,
  );
  const [packaged, ...more] = [...held, ...taken];
  await snapshots.commit(
    {
      id: input.snapshotId,
      kind: 'safeguard',
      runId,
      route: route.name,
      tags: [],
      source: sourceOf(target, route.target.groupId),
      takenAt: new Date(
        Math.min(activityTime(), ...packages.map(({ exportedAt }) => exportedAt)),
      ).toISOString(),
      complete: true,
      package: packaged,
      more: more.length > 0 ? more : undefined,
      contents,
    },
    rows,
  );
  const beyond = all.flatMap(({ row, beyond: lines = [] }) =>
    lines.map((words) => `"${row.title}" ${words}`),
  );
  return { ...figuresOf(rows), beyond: listFirst(beyond, LINES_MAX) };
}

/** An item in an earlier safeguard, and its package. */
interface RowBefore {
  readonly row: SnapshotRow;
  readonly from: string;
  readonly holding?: NamedPackage;
}

/** Rows with the JSON of their items, and the files that hold it: a rollback is planned by what it changes. */
async function keepContents(
  { portals, store, snapshots }: ActivityDeps,
  { snapshotId, target }: CompleteSafeguard,
  items: { readonly overwritten: readonly SavedItem[]; readonly before: readonly RowBefore[] },
): Promise<{ readonly rows: SnapshotRow[]; readonly contents: NamedPackage[] }> {
  const portal = portals.open(target.name);
  const signal = stopSignal();
  const retry = retrier(signal);
  const writer = new ContentsWriter(store, snapshotId);
  const keep = async (row: SnapshotRow, content: ItemContent | undefined): Promise<SnapshotRow> => {
    const index = content && (await writer.add(row.itemId, keptLine('', { content })));
    return { ...row, content: index || undefined };
  };
  const now = await countEach(items.overwritten, async ({ row }) =>
    keep(row, await readContent(portal, row.itemId, { signal, retry })),
  );
  const taken = await countEach(
    items.before,
    async ({ row, from }) => keep(row, await contentOf(snapshots, await snapshots.read(from), row)),
    1,
  );
  await writer.end();
  return { rows: [...now, ...taken], contents: writer.files };
}

/** Items that the run has overwritten since its earlier safeguard: only that one has their content. */
async function rowsBefore(
  { store, snapshots }: ActivityDeps,
  { runId, earlier: from, imported }: CompleteSafeguard,
  plan: Plan,
): Promise<RowBefore[]> {
  if (from === undefined) return [];
  const moved = await readMoved(store, runId);
  const rows = new Map(plan.rows.map((row) => [row.itemId, row]));
  const isOverwrittenByRun = (itemId: string): boolean => {
    const row = rows.get(itemId);
    // An edit made since must be saved, too.
    return row
      ? (row.packageIndex ?? imported) < imported || isAsMoved(moved, row)
      : moved[itemId] !== undefined;
  };
  const manifest = await snapshots.read(from);
  return (await snapshots.rowsOf(manifest))
    .filter(({ itemId }) => isOverwrittenByRun(itemId))
    .map((row) => ({ row, from, holding: packageOf(manifest, row) }));
}

/** Copies an item's files into another safeguard. Its package is shared. */
async function takeOver({ store }: ActivityDeps, { row, from }: RowBefore, to: string): Promise<void> {
  const files = filesOfItem(to, row);
  for (const [index, { key }] of filesOfItem(from, row).entries()) {
    const file = await store.openFile(key);
    const copy = files[index];
    if (!file || !copy) throw missing(store, key);
    await writeFile(store, copy.key, file.open(0, file.size));
    progress({ copying: row.itemId, files: index });
  }
  if (!row.copy) return;
  const key = snapshotKeys.copiedRecord(from, row.itemId);
  const record = await store.readJson(key, z.unknown());
  if (record === undefined) throw missing(store, key);
  await store.writeJson(snapshotKeys.copiedRecord(to, row.itemId), record);
}

/** Claims packages of the earlier safeguard, so that nobody removes them. */
async function claim(
  { snapshots, store }: ActivityDeps,
  { snapshotId, earlier: of = '' }: CompleteSafeguard,
  packages: readonly NamedPackage[],
): Promise<void> {
  if (packages.length === 0) return;
  const claimed = await claimPackages(
    snapshots,
    snapshotId,
    packages.map((each) => ({ of, package: each })),
  );
  const lost = packages.find((each) => !claimed.includes(each));
  if (lost) throw missing(store, lost.key);
}

const missing = ({ where }: Store, key: string): PortolanError =>
  new PortolanError('SAFEGUARD_INCOMPLETE', `${key} of the earlier safeguard is missing from ${where}`);

async function copyItem(
  { portals, store }: ActivityDeps,
  input: CompleteSafeguard,
  row: PlanRow,
): Promise<SnapshotCopy> {
  const { target, snapshotId } = input;
  if (row.hosted) throw incomplete(row, onlyByExport);
  const portal = portals.open(target.name);
  let room = input.route.options.limits.itemBytes;
  const keep = async (key: string, download: Pick<Download, 'body' | 'totalBytes'>): Promise<KeptFile> => {
    const kept = await keepCopy(store, key, download, { atMost: room, portal: target.name });
    room -= kept.sizeBytes;
    return kept;
  };
  try {
    const record = await readItem(portal, row.itemId);
    await store.writeJson(snapshotKeys.copiedRecord(snapshotId, row.itemId), record);
    const open = () => downloadItemData(portal, row.itemId, { from: 0 });
    const answer = (await unlessNoData(portal, row.itemId, open)) ?? {
      body: Readable.from([]),
    };
    const data = await keep(snapshotKeys.copiedData(snapshotId, row.itemId), answer);
    const files: SnapshotCopy['files'] = [];
    for (const file of await listItemFiles(portal, record)) {
      const opened = await openItemFile(portal, row.itemId, file);
      if (!opened) continue;
      const key = snapshotKeys.copiedFile(snapshotId, row.itemId, files.length);
      files.push({ ...file, ...(await keep(key, opened)) });
      progress({ copying: row.itemId, files: files.length });
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
async function ownGroupsOf(portal: Portal): Promise<readonly string[]> {
  const groups = (await readOrUndefined(() => readOwnGroups(portal))) ?? [];
  return groups.length > OWN_GROUPS_MAX ? [] : groups.map(({ id }) => id);
}

function snapshotRowOf(
  { itemId, type, title, hosted, target: { modified, owner } = {} }: PlanRow,
  { copy, placement, packageIndex }: { copy?: SnapshotCopy; placement?: Placement; packageIndex?: number },
): SnapshotRow {
  return {
    itemId,
    type,
    title,
    modified,
    owner,
    hosted: hosted || undefined,
    saved: copy ? 'copy' : 'package',
    package: packageIndex || undefined,
    copy,
    placement,
  };
}

const named = ({ key, sizeBytes, sha256 }: PackageInStore): NamedPackage => ({ key, sizeBytes, sha256 });

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
