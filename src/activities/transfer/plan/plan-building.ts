import { countEach } from '../../attempt/each-item';
import {
  type Plan,
  type PlanRow,
  type PlanSummary,
  comparedFigures,
  previewRow,
  createdItems,
} from '../../../model/transfer/plan';
import type { PlacementRules } from '../../../model/transfer/placement';
import { ItemsAsLeft, editedSince } from '../../../domain/release/edited-items';
import { countActions } from '../../../domain/release/whole-plan';
import { missingGroups } from '../../../domain/transfer/references/lookup';
import { importAccount, NewOwners } from '../../../domain/transfer/created-items';
import {
  type ComingItem,
  comingRows,
  type PlanEvidence,
  planOf,
  type RowOfPart,
  type TargetItem,
  planRowFor,
  withChange,
} from '../../../domain/transfer/plan';
import type { GroupsOfItems } from '../../../portal/resources/items/item-groups';
import { findItem } from '../../../portal/resources/items/items';
import { mappedFigures, type ReferenceMap } from '../../../model/release/reference-map';
import { figuresOfMapped, mappable, mappableItems } from '../../../domain/release/mappable-items';
import { hashOfMap, mapOfRun, type MapOfRun } from '../../release/mappings';
import { MadeFolder, whyNotAsLeft } from '../../snapshot/made-folder';
import { PortolanError } from '../../../model/errors/errors';
import { readPreviewPages } from './previews';
import { keys, ofPart } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { progress, stoppable, timestamp } from '../../attempt/heartbeat';
import { type ComparedRun, compareWithSafeguard, openComparison } from './changes';
import { HeldItems } from '../open-write';
import { beyondReach, placementReader } from '../read-placement';
import {
  importedRows,
  readIds,
  readLastRun,
  readPages,
  readPlanFile,
  chosenCopies,
  readRequested,
} from './stored-lists';
import { listGroup } from '../../../portal/resources/groups';
import type { Item } from '../../../portal/resources/items/item';

interface PlanInput extends ComparedRun {
  /** Number of the reading within the run, so that earlier plans stay available. */
  readonly reading: number;
  /** What a rollback does besides its import. @default nothing */
  readonly undoing?: Undoing;
  /** For a rollback: items edited since that run are kept. @default they are overwritten */
  readonly keepsEditedSince?: string;
}

interface ReadPlan extends PlanInput {
  /** In the order in which they are imported. */
  readonly packages: readonly PreviewedPackage[];
  /** The placement to apply to created items. @default none */
  readonly placementRules?: PlacementRules;
  /** An import comes next, so the prior state is saved. */
  readonly importsNext: boolean;
  /** The run maps what it imports, by the map it was started with. @default false */
  readonly maps?: boolean;
  /** How many packages are already imported, and by which plan. */
  readonly imported?: { readonly parts: number; readonly planRef: string };
}

/** A package on the target whose preview was requested. */
interface PreviewedPackage {
  readonly sha256: string;
  readonly itemId: string;
  /** `packageSummary.id` of the preview. */
  readonly previewId?: string;
  /** Number of items in the package, if the preview says so. */
  readonly total?: number;
}

/** Reads the whole preview, joins it with the target's content, and saves the plan in the store. */
export async function readPlan(deps: ActivityDeps, input: ReadPlan): Promise<PlanSummary> {
  const { portals, store, authority } = deps;
  const { runId } = input;
  const rows: RowOfPart[] = [];
  for (const [packageIndex, { itemId, previewId, total }] of input.packages.entries()) {
    if (packageIndex < (input.imported?.parts ?? 0)) continue;
    const folder = keys.preview(runId, `${input.reading}${ofPart(packageIndex)}`);
    const { groupId } = input.route.target;
    const reading = { groupId, packageItemId: itemId, previewId, total, folder };
    await readPreviewPages(portals.open(input.target.name), store, reading);
    const found = await readPages(store, folder, previewRow);
    rows.push(...found.map((row) => ({ ...row, packageIndex })));
  }
  const map = input.maps ? await mapOfRun(authority, runId) : undefined;
  const evidence = await gatherEvidence(deps, input, rows, map?.map);
  const built = planOf({ ...evidence, map: map && hashOfMap(map.map) });
  const plan = map ? { ...built, mapped: await mappedByPlan(deps, runId, map, built) } : built;
  if (input.placementRules && input.importsNext) await rememberFolders(deps, input);
  return await keepPlan(deps, input, plan);
}

/** Saves the plan of a rollback without an import: what it restores from copies and deletes. */
export async function planUndo(deps: ActivityDeps, input: PlanInput): Promise<PlanSummary> {
  const plan = planOf({
    route: input.route,
    packages: [],
    requested: [],
    preview: [],
    coming: [],
    imported: [],
    inSource: new Set(),
    group: new Map(),
    undone: await undoRows(deps, input),
    readAt: timestamp(),
  });
  return await keepPlan(deps, input, plan);
}

async function keepPlan(
  { store }: ActivityDeps,
  { runId, reading }: PlanInput,
  plan: Plan,
): Promise<PlanSummary> {
  const ref = keys.plan(runId, reading);
  await store.writeJson(ref, plan);
  const { rows, hash, sha256, arrivedLater, mapped } = plan;
  return {
    ...comparedFigures(rows),
    ...countActions(rows),
    restore: rows.filter(({ action }) => action === 'restore').length || undefined,
    drifted: rows.filter(({ drifted }) => drifted).length,
    extra: rows.filter(({ action }) => action === 'extra').length,
    hash,
    sha256,
    arrivedLater,
    ref,
    mapped: mapped && mappedFigures.parse(mapped),
  };
}

/** Records the folders before the run's first import, so that the import's own folder can be recognized. */
async function rememberFolders(
  { store, portals }: ActivityDeps,
  { runId, route, target }: ReadPlan,
): Promise<void> {
  if ((await store.readJson(keys.created(runId), createdItems)) !== undefined) return;
  const folder = new MadeFolder(store, portals.open(target.name), { runId, route, target });
  await folder.rememberOthers().catch((thrown: unknown) => {
    // If the owner's folders are not visible, none is ever deleted.
    if (PortolanError.from(thrown).code !== 'PERMISSION_DENIED') throw thrown;
  });
}

async function mappedByPlan(
  deps: ActivityDeps,
  runId: string,
  { map, snapshotId }: MapOfRun,
  plan: Plan,
): Promise<Plan['mapped']> {
  const { store } = deps;
  // Computed once per run: neither its snapshot nor its map changes.
  const known = await store.readJson(keys.mappable(runId), mappable);
  const items = known ?? (await mappableItems(deps, snapshotId, map, progress));
  if (!known) await store.writeJson(keys.mappable(runId), items);
  return { ...figuresOfMapped(importedRows(plan), items), map: hashOfMap(map) };
}

async function gatherEvidence(
  deps: ActivityDeps,
  input: ReadPlan,
  preview: readonly RowOfPart[],
  map: ReferenceMap | undefined,
): Promise<PlanEvidence> {
  const { store, portals } = deps;
  const { route, runId, target } = input;
  const portal = portals.open(target.name);
  const requested = await readRequested(store, runId);
  const inSource = await readIds(store, keys.sourceIds(runId));
  const carried = input.imported && (await readPlanFile(store, input.imported.planRef));
  const { parts: imported = 0 } = input.imported ?? {};
  const group = await listGroup(portal, route.target.groupId);
  const packages = input.packages.map(({ sha256, itemId }) => ({ sha256, itemId }));
  const [first] = packages;
  return {
    route,
    packages,
    requested,
    inSource,
    preview,
    group,
    coming: await comingItems(deps, input, { preview, requested, group }, map),
    undone: await undoRows(deps, input),
    snapshotId: input.snapshotId,
    // Rows already imported stay as planned, although the target now has them.
    imported:
      carried?.rows.filter(({ packageIndex }) => packageIndex !== undefined && packageIndex < imported) ?? [],
    packageAdded: carried ? carried.packageAdded : first && (await findItem(portal, first.itemId))?.created,
    readAt: timestamp(),
  };
}

/** Reads what the target shows about the items in the packages. */
async function comingItems(
  deps: ActivityDeps,
  input: ReadPlan,
  { preview, requested, group }: Pick<PlanEvidence, 'preview' | 'requested' | 'group'>,
  map: ReferenceMap | undefined,
): Promise<ComingItem[]> {
  const { portals, store } = deps;
  const { route, runId, target, placementRules, undoes: isUndone, keepsEditedSince: since } = input;
  const portal = portals.open(target.name);
  const reader = placementReader(portal, target);
  const { value: last } = await readLastRun(store, route);
  const owners = placementRules && new NewOwners(portal, placementRules, importAccount(target, route));
  const left = since === undefined ? undefined : await ItemsAsLeft.of(since, { store, portal });
  const asked = new Map(requested.map((item) => [item.itemId, item]));
  const rows = comingRows(preview, asked);
  const shown = rows.flatMap(({ itemId }) => asked.get(itemId)?.group ?? []);
  const lacking = await missingGroups(portal, shown, stoppable());
  const overwrites =
    route.options.overwrite && rows.some(({ itemId, exists }) => exists || group.has(itemId));
  const stages = overwrites ? await HeldItems.from(runId, target, deps) : undefined;
  const comparison = overwrites ? await openComparison(deps, input, { requested, group, map }) : undefined;
  return await countEach(rows, async (row): Promise<ComingItem> => {
    const { itemId } = row;
    const item = asked.get(itemId);
    const inGroup = group.get(itemId);
    const targetItem: TargetItem = {
      held: inGroup ?? (row.exists ? await findItem(portal, itemId) : undefined),
      inGroup: inGroup !== undefined,
      groups: inGroup && (await groupsOf(reader.groups, itemId)),
      username: target.username,
      isUndone,
      newOwner: await owners?.of(item?.owner),
      lastModified: last?.modified[itemId],
      driftedSince: item?.drifted,
      heldBack: stages?.whyNot(itemId),
    };
    const lacks = item?.group && lacking.has(item.group) ? item.group : undefined;
    const coming = { row, targetItem, lacks };
    if (planRowFor(row, targetItem, route.options).action !== 'overwrite') return coming;
    if (await left?.edited(itemId)) return { ...coming, editedSince: since };
    const change = await comparison?.changeOf({
      itemId,
      type: row.type,
      packaged: [row.modified, item?.modified],
      held: targetItem.held ?? {},
      inGroup: targetItem.inGroup,
    });
    if (change?.kind === 'same') return { ...coming, change };
    return { ...coming, change, beyond: await beyondReach(reader, itemId, inGroup) };
  });
}

/** Other groups an item is shared with, which verification compares. An unreadable list is no error. */
async function groupsOf(groups: GroupsOfItems, itemId: string): Promise<string[] | undefined> {
  const found = await groups.find(itemId, []).catch(() => undefined);
  return found?.own && [...found.ids];
}

/** What a rollback does besides its import. */
export interface Undoing {
  /** The rolled-back run. */
  readonly of: string;
  /** The safeguard, if it has copies. @default there are none */
  readonly copiesOf?: string;
  /** Delete what that run created and nobody has changed since. @default false */
  readonly remove?: boolean;
}

/** Rows for what a rollback restores from copies and deletes, given the target's current content. */
async function undoRows(deps: ActivityDeps, input: PlanInput): Promise<PlanRow[]> {
  const { undoing, runId, target } = input;
  const { copiesOf, remove = false } = undoing ?? {};
  if (!undoing || (copiesOf === undefined && !remove)) return [];
  const held = await HeldItems.from(runId, target, deps);
  const restored = copiesOf === undefined ? [] : await restoredRows(deps, input, copiesOf, held);
  return [...restored, ...(remove ? await removedRows(deps, input, undoing.of, held) : [])];
}

async function restoredRows(
  deps: ActivityDeps,
  { route, target, keepsEditedSince: since }: PlanInput,
  copiesOf: string,
  held: HeldItems,
): Promise<PlanRow[]> {
  const { portals, store } = deps;
  const portal = portals.open(target.name);
  const copies = await chosenCopies(deps, copiesOf, route.options);
  const left = since === undefined ? undefined : await ItemsAsLeft.of(since, { store, portal });
  const { groupId } = route.target;
  const group = await listGroup(portal, groupId);
  const compared = { snapshotId: copiesOf, target, groupId };
  const comparison = await compareWithSafeguard(deps, target.name, compared);
  return await countEach(copies, async ({ itemId, type, title, size, copy }): Promise<PlanRow> => {
    const found = await findItem(portal, itemId);
    const shown = found && { ...targetOf(found), inGroup: group.has(itemId) };
    const row = { itemId, type, title, size, target: shown };
    if (since !== undefined && (await left?.edited(itemId)))
      return { ...row, action: 'keep', reason: editedSince(since) };
    const heldBack = held.whyNot(itemId);
    if (heldBack !== undefined) return { ...row, action: 'blocked', reason: heldBack };
    if (!found) return { ...row, action: 'restore' };
    // It returns to the group, or leaves it, as it was.
    const inGroup = group.has(itemId) === (copy?.inGroup !== false);
    const change = await comparison.changeOf({ itemId, type, held: found, inGroup });
    return withChange({ ...row, action: 'restore' }, change, copiesOf);
  });
}

async function removedRows(
  { portals, store }: ActivityDeps,
  { target }: PlanInput,
  of: string,
  held: HeldItems,
): Promise<PlanRow[]> {
  const portal = portals.open(target.name);
  const noted = await store.readJson(keys.created(of), createdItems);
  const rows = await countEach(Object.keys(noted?.items ?? {}), async (itemId): Promise<PlanRow[]> => {
    const found = await findItem(portal, itemId);
    if (!found || held.by(itemId) !== undefined) return [];
    if ((await whyNotAsLeft(portal, found, noted)) !== undefined) return [];
    const { type = '?', title = itemId, size } = found;
    const reason = `created by ${of}`;
    return [{ itemId, type, title, size, action: 'remove', reason, target: targetOf(found) }];
  });
  return rows.flat();
}

const targetOf = ({ modified, size, owner, access, type }: Item): NonNullable<PlanRow['target']> => ({
  modified,
  size,
  owner,
  access,
  type,
});
