import { z } from 'zod';
import { notAuthentic } from '../../domain/control/control';
import { editedSince, ItemsAsLeft, noteAsLeft, noteReturned } from '../../domain/release/edited-items';
import { standingsOf } from '../../model/release/promotion';
import { whyStays } from '../../domain/transfer/created-items';
import { removeItem } from '../../domain/transfer/own-packages';
import { askGuards } from '../../domain/transfer/guards/guard-list';
import { requireUser, type RunOnPlan } from '../../domain/transfer/portal-facts';
import {
  type CreatedItem,
  createdItems,
  type PlanAction,
  plan,
  type PlanRow,
} from '../../model/transfer/plan';
import { PortolanError } from '../../model/errors/errors';
import { type GuardResult, type RunRecord, runRecord } from '../../model/run/run';
import type { SnapshotRow } from '../../model/snapshot/snapshot';
import { INLINE_LIST_MAX } from '../../model/run/run-state';
import type { Portal } from '../../portal/client';
import { type Item, item } from '../../portal/resources/items/item';
import { protectItem } from '../../portal/resources/items/item-files';
import { findItem } from '../../portal/resources/items/items';
import { restoreItemCopy } from '../../portal/resources/items/restore-item';
import { openCopy } from '../../domain/snapshot/copied-files';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { MadeFolder, removeMadeFolders, whyNotAsLeft } from './made-folder';
import { eachItem, countEach, type ItemEnd, summaryOf } from '../attempt/each-item';
import { isRepeat, lastError } from '../attempt/heartbeat';
import { HeldItems, openWrite } from '../transfer/open-write';
import {
  chosenCopies,
  importedRows,
  readIds,
  readImported,
  readOwnPlan,
} from '../transfer/plan/stored-lists';

interface PutBack extends RunOnPlan {
  readonly snapshotId: string;
  /** The run has already imported, so it needs no open window. */
  readonly hasBegun: boolean;
  /** Items edited since that run stay. @default they are overwritten */
  readonly keepsEditedSince?: string;
}

interface NoteLeft extends RunOnPlan {
  /** The run that overwrote them first: this one, or the rolled-back one. */
  readonly of: string;
}

interface HandleCreated extends RunOnPlan {
  /** The run that created them. */
  readonly of: string;
  /** Delete those that nobody has changed since. Only items that the approved plan lists are deleted. */
  readonly remove: boolean;
  /** The run has already imported or restored, so it needs no open window. */
  readonly hasBegun: boolean;
}

type Created = NonNullable<RunRecord['created']>;
type HandledCreated = Created & {
  readonly isUnknown?: true;
  readonly why?: string;
  /** Folders that could not be deleted, one line each. */
  readonly folders?: readonly string[];
  /** It has mapped items, or was about to. @default false */
  readonly hasMapped?: true;
};

/** The signed input of a promotion's run, or of its rollback. */
const ofPromotion = z.object({
  parent: z.string().optional(),
  promotion: z.object({ stage: z.string() }),
  route: z.object({ target: z.object({ groupId: z.string() }) }),
});

const idsOf = (rows: readonly PlanRow[], what: PlanAction): string[] =>
  rows.flatMap(({ action, itemId }) => (action === what ? itemId : []));

/** What became of an item; neither if it was already gone. */
interface HandledItem {
  readonly removed?: string;
  readonly stays?: Created['there'][number];
}

/** Marks that the deletion of an item has started. */
const begunRemoval = z.object({});

/**
 * Restores each copied item: record, data, resources, thumbnail and delete protection; a deleted item in its previous
 * folder. Safe to repeat. Returns how many were restored, and describes the first that differ from their copy.
 */
export async function putBack(
  deps: ActivityDeps,
  input: PutBack,
): Promise<{ done: number; differing: string[]; notDone: number }> {
  const { authority, portals, snapshots, store } = deps;
  const { snapshotId, target, route, runId, keepsEditedSince: since } = input;
  const { groupId } = route.target;
  // A repeat continues what its first attempt was allowed to start.
  const { portal, plan } = await openWrite(deps, input, { hasBegun: input.hasBegun || isRepeat() });
  const owner = requireUser(target);
  const identical = new Set(idsOf(plan.rows, 'same'));
  const copies = await chosenCopies(deps, snapshotId, route.options);
  const rows = copies.filter(({ itemId }) => !identical.has(itemId));
  const planned = new Set(idsOf(plan.rows, 'restore'));
  const held = await HeldItems.from(runId, target, { portals, authority });
  const left = since === undefined ? undefined : await ItemsAsLeft.of(since, { store, portal });
  const restoreOne = async (row: SnapshotRow): Promise<ItemEnd> => {
    const { itemId, title, copy, placement } = row;
    const isEdited = since !== undefined && (await left?.edited(itemId));
    const why = isEdited ? editedSince(since) : held.whyNot(itemId);
    if (why !== undefined) return { line: `${itemId} "${title}" ${why}` };
    if (!planned.has(itemId)) throw new Error('the plan does not list it');
    const { record, data, files } = await openCopy(snapshots, snapshotId, row, item);
    const where = copy?.inGroup === false ? { notGroups: [groupId] } : { groups: [groupId] };
    const { renamed } = await restoreItemCopy(portal, {
      record,
      data,
      files,
      owner: record.owner ?? owner,
      folderId: placement?.folder,
      ...where,
    });
    if (renamed === undefined) return { isDone: true };
    const line = `${itemId} "${title}" was restored as file ${renamed}, because another item in its folder has its old file name`;
    return { isDone: true, line };
  };
  const ends = await eachItem<SnapshotRow, ItemEnd>(rows, restoreOne, ({ itemId, title }, words) => ({
    line: `${itemId} "${title}" could not be restored: ${words}`,
  }));
  const done = rows.flatMap(({ itemId }, at) => (ends[at]?.isDone ? itemId : []));
  await store.writeJson(keys.putBack(runId), done);
  return summaryOf(ends);
}

/** Whether a run without a safeguard overwrote nothing, by its record and plan. */
export async function checkOverwritten(
  { store }: ActivityDeps,
  { of }: { of: string },
): Promise<GuardResult[]> {
  const record = await store.readJson(keys.record(of), runRecord);
  return await askGuards('record', { runId: of, record });
}

/**
 * Records the final state of what a promotion's run, or its rollback, has overwritten. After a rollback, earlier
 * promotions recognize what it has returned to them.
 * @throws PortolanError NOT_AUTHENTIC if the plan is another run's, or the run was not started to roll that one back
 */
export async function noteLeft(deps: ActivityDeps, { runId, of, target, planRef }: NoteLeft): Promise<void> {
  const { authority, portals, store } = deps;
  const followed = await readOwnPlan(store, runId, planRef);
  const input = ofPromotion.parse((await authority.requireOpen(runId)).input);
  if (of !== runId && of !== input.parent) throw notAuthentic(`${runId} was not started to roll back ${of}`);
  const at = { store, portal: portals.open(target.name) };
  const restored = of === runId ? [] : await readIds(store, keys.putBack(runId));
  const itemIds = [...idsOf(importedRows(followed), 'overwrite'), ...restored];
  await noteAsLeft(of, itemIds, at);
  if (of !== runId) await noteReturnedItems(deps, runId, of, input);
}

/** The items that a rollback has restored, with the promotions of the same group that still stand. */
async function noteReturnedItems(
  { snapshots, store }: ActivityDeps,
  runId: string,
  of: string,
  { promotion, route }: z.infer<typeof ofPromotion>,
): Promise<void> {
  const [pipeline = '', stage = ''] = promotion.stage.split('/');
  const standings = standingsOf(await snapshots.releases.promotions.entries(pipeline, stage));
  const runs = standings
    .flatMap(({ entry }) => entry?.groups ?? [])
    .filter((group) => group.groupId === route.target.groupId && group.runId !== of);
  const ref = (await store.readJson(keys.record(of), runRecord))?.plan?.ref;
  const undone = ref === undefined ? undefined : await store.readJson(ref, plan);
  const imported = new Set((await readImported(store, runId)).map(({ itemId }) => itemId));
  const found = (undone?.rows ?? []).flatMap(({ action, itemId, target }): [string, number][] =>
    action === 'overwrite' && imported.has(itemId) && target?.modified !== undefined
      ? [[itemId, target.modified]]
      : [],
  );
  await noteReturned(
    runs.map((group) => group.runId),
    of,
    new Map(found),
    store,
  );
}

/**
 * Reports the items a rolled-back run created, and on request deletes those that are still as it left them. An item
 * stays, with the reason, if it was changed since, has another owner, existed before the import, or if that is unknown.
 * `isUnknown`: it is unknown what the run created, because it ended too early or for the reason in `why`.
 * @throws PortolanError NOTE_ALTERED if items would be deleted by a modified state file
 */
export async function handleCreated(deps: ActivityDeps, input: HandleCreated): Promise<HandledCreated> {
  const { authority, portals, store } = deps;
  const { runId, of, target, route, remove } = input;
  const removals = await plannedRemovals(deps, input);
  const noted = await store.readJson(keys.created(of), createdItems).catch((thrown: unknown) => {
    if (remove || !isAltered(thrown)) throw thrown;
    return PortolanError.from(thrown);
  });
  if (noted instanceof PortolanError)
    return { removed: [], there: [], isUnknown: true, why: noted.plainMessage };
  const portal = portals.open(target.name);
  const maybeCreated = noted ? undefined : await mayHaveCreated(deps, of);
  if (maybeCreated) {
    const there = await existing(portal, maybeCreated, `${of} ended before it recorded what it created`);
    return { ...(await inShort(deps, runId, { removed: [], there })), isUnknown: true };
  }
  const held = remove ? await HeldItems.from(runId, target, { portals, authority }) : undefined;
  const titles = new Map((await readImported(store, of)).map((row) => [row.itemId, row.title]));
  const titleOf = (itemId: string): string => titles.get(itemId) ?? itemId;
  const handleOne = async ([itemId, left]: [string, CreatedItem]): Promise<HandledItem> => {
    const hasBegun =
      isRepeat() && (await store.readJson(keys.removal(runId, itemId), begunRemoval)) !== undefined;
    const found = await findItem(portal, itemId);
    // A missing item whose deletion had started was deleted by an earlier attempt.
    if (!found) return hasBegun ? { removed: itemId } : {};
    const reason = whyStays({
      held: held?.whyNot(itemId),
      changed: hasBegun ? undefined : await whyNotAsLeft(portal, found, noted),
      isPlanned: removals.has(itemId),
      isRequested: remove,
    });
    if (reason !== undefined) return { stays: { itemId, title: titleOf(itemId), reason } };
    await removeCreated(deps, portal, input, found, left);
    return { removed: itemId };
  };
  const ends = await eachItem<[string, CreatedItem], HandledItem>(
    Object.entries(noted?.items ?? {}),
    handleOne,
    ([itemId], reason) => ({ stays: { itemId, title: titleOf(itemId), reason, failed: true } }),
  );
  const removed = ends.flatMap((end) => end.removed ?? []);
  const there = ends.flatMap((end) => end.stays ?? []);
  const folders = removals.size > 0 ? await removeFolders(deps, { of, target, route }) : [];
  const { done: hasNone } = await store.list(keys.documents(of)).next();
  return {
    ...(await inShort(deps, runId, { removed, there })),
    folders: folders.length > 0 ? folders : undefined,
    hasMapped: !hasNone || undefined,
  };
}

/** The items that the approved plan removes. @throws PortolanError if the run may not remove them */
async function plannedRemovals(deps: ActivityDeps, input: HandleCreated): Promise<ReadonlySet<string>> {
  if (!input.remove) return new Set();
  const { rows } = await readOwnPlan(deps.store, input.runId, input.planRef);
  const removals = idsOf(rows, 'remove');
  if (removals.length > 0)
    await openWrite(deps, input, { undoes: input.of, hasBegun: input.hasBegun || isRepeat() });
  return new Set(removals);
}

/** Those of the items that exist, each with the reason why it stays. */
async function existing(portal: Portal, rows: readonly PlanRow[], reason: string): Promise<Created['there']> {
  const seen = await countEach(rows, async ({ itemId, title }) =>
    (await findItem(portal, itemId)) ? [{ itemId, title, reason }] : [],
  );
  return seen.flat();
}

/** Deletes an item. Delete protection that the run itself set may be removed; that set by others stays. */
async function removeCreated(
  { store }: ActivityDeps,
  portal: Portal,
  { runId, target }: HandleCreated,
  found: Item,
  left: CreatedItem,
): Promise<void> {
  const { id: itemId, owner = requireUser(target), ownerFolder } = found;
  const item = { owner, itemId, folderId: ownerFolder || undefined };
  const wasProtectedByRun = found.protected === true && left.protected === true;
  try {
    await store.writeJson(keys.removal(runId, itemId), {});
    if (wasProtectedByRun) await protectItem(portal, item, false);
    await removeItem(portal, { ...item, permanent: target.recycleBin });
  } catch (thrown) {
    if (wasProtectedByRun) await protectItem(portal, item, true).catch(lastError);
    throw thrown;
  }
}

/** Deletes empty folders created by the rolled-back run or its import. */
async function removeFolders(
  { portals, store }: ActivityDeps,
  { of, target, route }: Pick<HandleCreated, 'of' | 'target' | 'route'>,
): Promise<string[]> {
  const portal = portals.open(target.name);
  const left = await removeMadeFolders({ store, portal, runId: of });
  try {
    await new MadeFolder(store, portal, { runId: of, route, target }).remove();
  } catch (thrown) {
    left.push(`the folder of the import could not be deleted: ${lastError(thrown).plainMessage}`);
  }
  return left;
}

/** Long lists are stored, and only their beginnings returned. Items that could not be deleted come first. */
async function inShort(
  { store }: ActivityDeps,
  runId: string,
  { removed, there }: Created,
): Promise<Created> {
  if (Math.max(removed.length, there.length) <= INLINE_LIST_MAX) return { removed, there };
  const ref = keys.undone(runId);
  await store.writeJson(ref, { removed, there });
  const [failed, kept] = [there.filter((row) => row.failed), there.filter((row) => !row.failed)];
  return {
    removed: removed.slice(0, INLINE_LIST_MAX),
    there: [...failed, ...kept].slice(0, INLINE_LIST_MAX),
    whole: { removed: removed.length, there: there.length, failed: failed.length, ref },
  };
}

/** What a run without records was to create; undefined if it has created nothing. */
async function mayHaveCreated({ store }: ActivityDeps, runId: string): Promise<PlanRow[] | undefined> {
  const record = await store.readJson(keys.record(runId), runRecord);
  // A run that completed its results has recorded all items it created.
  const isClosed = record?.items !== undefined || record?.target === 'untouched';
  if (isClosed || !record?.plan?.create) return undefined;
  const { ref } = record.plan;
  const followed = ref === undefined ? undefined : await store.readJson(ref, plan);
  return followed?.rows.filter(({ action }) => action === 'create') ?? [];
}
