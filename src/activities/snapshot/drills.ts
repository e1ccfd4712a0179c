import { removeItem } from '../../domain/transfer/own-packages';
import type { DrillInput } from '../../model/run/run-input';
import { createdItems, isPackaged, type PlanRow } from '../../model/transfer/plan';
import type { SnapshotProof } from '../../model/snapshot/snapshot';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { requireUser, type RunOnPlan } from '../../domain/transfer/portal-facts';
import { eachItem, type ItemEnd, summaryOf } from '../attempt/each-item';
import { lastError, timestamp } from '../attempt/heartbeat';
import { MadeFolder, whyNotAsLeft } from './made-folder';
import { importedRows, readPlanFile } from '../transfer/plan/stored-lists';

/**
 * Finds rows that prevent a drill with import, because their items already exist. Records the existing folders.
 */
export async function findInTheWay(
  { portals, store }: ActivityDeps,
  input: RunOnPlan,
): Promise<{ rows: number; inTheWay: PlanRow[] }> {
  const portal = portals.open(input.target.name);
  await new MadeFolder(store, portal, input).rememberOthers();
  const { rows } = await readPlanFile(store, input.planRef);
  const ofPackage = rows.filter(isPackaged);
  return { rows: ofPackage.length, inTheWay: ofPackage.filter(({ action }) => action !== 'create') };
}

/** Records that a portal previewed or imported the whole snapshot. Safe to repeat. */
export async function proveSnapshot(
  { snapshots }: ActivityDeps,
  { snapshotId, ...proof }: Omit<SnapshotProof, 'at'> & { snapshotId: string },
): Promise<void> {
  await snapshots.prove(snapshotId, { ...proof, at: timestamp() });
}

/**
 * Deletes what a drill imported: items of its own plan, which was written before the import, unless they have changed
 * since. Then deletes the import's folder. Returns what remains, with the reason. Throws NOT_AUTHENTIC if no such drill
 * was started.
 */
export async function takeAway(
  { authority, portals, store }: ActivityDeps,
  input: RunOnPlan,
): Promise<{ removed: number; left: string[] }> {
  const { runId, target, planRef } = input;
  const isSigned = ({ import: imports = false, route }: DrillInput): boolean =>
    imports && route.target.portal === target.name && planRef.startsWith(keys.run(runId));
  await authority.requireSigned(runId, 'drill', isSigned);
  const portal = portals.open(target.name);
  const owner = requireUser(target);
  const plan = await readPlanFile(store, planRef);
  const noted = await store.readJson(keys.created(runId), createdItems);
  const rows = importedRows(plan).filter(({ action }) => action === 'create');
  const folder = new MadeFolder(store, portal, input);
  const takeOne = async ({ itemId, title }: PlanRow): Promise<ItemEnd> => {
    const item = await findItem(portal, itemId);
    if (!item) return {};
    const why = await whyNotAsLeft(portal, item, noted);
    if (why !== undefined) return { line: `${itemId} "${title}": ${why}` };
    const { ownerFolder: folderId } = item;
    await folder.rememberUsed(folderId);
    const removal = { owner: item.owner ?? owner, itemId, folderId, permanent: target.recycleBin };
    await removeItem(portal, removal);
    return { isDone: true };
  };
  const ends = await eachItem<PlanRow, ItemEnd>(rows, takeOne, ({ itemId, title }, words) => ({
    line: `${itemId} "${title}": ${words}`,
  }));
  const left = ends.flatMap(({ line }) => line ?? []);
  try {
    const { stays } = await folder.remove();
    if (stays !== undefined) left.push(`the folder "${stays}": it contains something else`);
  } catch (thrown) {
    left.push(`the folder of the import: ${lastError(thrown).plainMessage}`);
  }
  return { removed: summaryOf(ends).done, left };
}
