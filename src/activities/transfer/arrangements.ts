import { isDeepStrictEqual } from 'node:util';
import { arrangedPlacement } from '../../domain/transfer/placements';
import { type RunOnPlan, type RunOnTarget, factsOf } from '../../domain/transfer/portal-facts';
import { importAccount, NewOwners } from '../../domain/transfer/created-items';
import { isOnePortal } from '../../domain/transfer/guards/portal';
import { PortolanError } from '../../model/errors/errors';
import { isSameUser } from '../../model/identity';
import type { RestoreInput } from '../../model/run/run-input';
import {
  type Arrangement,
  arrangement,
  madeFolders,
  type PlacementRules,
} from '../../model/transfer/placement';
import { listFirst } from '../../model/text/words';
import { createdItems } from '../../model/transfer/plan';
import { createFolder, listFolders } from '../../portal/resources/folders';
import { readGroup } from '../../portal/resources/groups';
import { findItem } from '../../portal/resources/items/items';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { eachItem, countEach, type ItemEnd, summaryOf } from '../attempt/each-item';
import { MadeFolder } from '../snapshot/made-folder';
import type { Portal } from '../../portal/client';
import type { Store } from '../../store/store';
import { openWrite } from './open-write';
import { readIds, readOwnPlan } from './plan/stored-lists';

interface ArrangeCreated extends RunOnPlan {
  readonly snapshotId: string;
  readonly placementRules: PlacementRules;
}

/**
 * Records the desired placement and owner of each created item, so that a rollback recognizes the item. Writes nothing
 * to the portal.
 *
 * @returns the number of items, and of those that go into a named folder; with which groups they cannot be shared again
 * @throws PortolanError NOT_AUTHENTIC if the run was started to do something else
 */
export async function arrangeCreated(
  { authority, store, portals, snapshots }: ActivityDeps,
  input: ArrangeCreated,
): Promise<{ items: number; inFolders: number; unshared: string[] }> {
  const { runId, route, target, snapshotId, placementRules } = input;
  const plan = await readOwnPlan(store, runId, input.planRef);
  const isSigned = (restore: RestoreInput): boolean =>
    restore.snapshotId === snapshotId && isDeepStrictEqual(restore.placementRules, placementRules);
  await authority.requireSigned(runId, 'restore', isSigned);
  const created = await store.readJson(keys.created(runId), createdItems);
  if (!created) return { items: 0, inFolders: 0, unshared: [] };
  const portal = portals.open(target.name);
  const account = importAccount(target, route);
  const owners = new NewOwners(portal, placementRules, account);
  const planned = new Map(plan.rows.map(({ itemId, owner }) => [itemId, owner]));
  const manifest = await snapshots.read(snapshotId);
  const rows = await snapshots.rowsOf(manifest);
  const further = isOnePortal(factsOf(manifest.source), target)
    ? new FurtherGroups(portal, [manifest.source.groupId, route.target.groupId])
    : undefined;
  const arranged: Arrangement = {};
  for (const row of rows) {
    const { itemId, title } = row;
    const left = created.items[itemId];
    // An item the portal gave to someone else is left alone, and verification reports it.
    const isOwn =
      left && [...created.accounts, left.givenTo].some((user) => isSameUser(user, left.owner ?? undefined));
    if (!isOwn) continue;
    // The owner in the plan, even if that user is gone: then it is a finding.
    const owner = planned.get(itemId) ?? (await owners.of(row.owner));
    // A backup keeps it with the item's JSON.
    const kept = await snapshots.contents.find(manifest, row);
    const before = row.placement ?? kept?.placement;
    const groups = await further?.of(title, kept?.placement?.groups);
    const placement = arrangedPlacement(before, { owner, account, target: route.target, groups });
    arranged[itemId] = { title, snapshotId, placement };
    created.items[itemId] = { ...left, givenTo: owner };
  }
  const [first] = Object.keys(arranged);
  const lies = first && (await findItem(portal, first));
  await new MadeFolder(store, portal, input).rememberUsed(lies ? lies.ownerFolder : undefined);
  await store.writeJson(keys.arrangement(runId), arranged);
  await store.writeJson(keys.created(runId), created);
  const all = Object.values(arranged);
  const inFolders = all.filter(({ placement }) => placement.folderTitle !== undefined).length;
  return { items: all.length, inFolders, unshared: listFirst(further?.unshared ?? [], LINES_MAX) };
}

/** Lines in the record. */
const LINES_MAX = 20;

/** Groups that had an item besides the one that was backed up. Those of another portal mean nothing. */
class FurtherGroups {
  readonly unshared: string[] = [];
  readonly #known = new Map<string, Promise<boolean>>();

  /** @param others are shared with it anyway */
  constructor(
    private readonly portal: Portal,
    private readonly others: readonly string[],
  ) {}

  /** Those that are still there. */
  async of(title: string, before: readonly string[] | undefined): Promise<string[]> {
    if (!before)
      this.unshared.push(`"${title}": the backup does not tell with which other groups it was shared`);
    const found: string[] = [];
    for (const groupId of before ?? []) {
      if (this.others.includes(groupId)) continue;
      const isThere = this.#known.get(groupId) ?? this.#isThere(groupId);
      this.#known.set(groupId, isThere);
      if (await isThere) found.push(groupId);
      else
        this.unshared.push(
          `"${title}" was shared with group ${groupId}, which is not on ${this.portal.name} or not visible`,
        );
    }
    return found;
  }

  async #isThere(groupId: string): Promise<boolean> {
    try {
      await readGroup(this.portal, groupId);
      return true;
    } catch (thrown) {
      if (PortolanError.is(thrown, 'GROUP_NOT_FOUND', 'PERMISSION_DENIED')) return false;
      throw thrown;
    }
  }
}

/**
 * Finds each item's folder among those of its owner, and creates missing ones. Records each before it is created, so
 * that a repeat recognizes its own.
 */
export async function makeFolders(
  deps: ActivityDeps,
  run: RunOnPlan,
): Promise<{ made: number; differing: string[] }> {
  const { store } = deps;
  const { runId } = run;
  const { portal } = await openWrite(deps, run, { hasBegun: true, places: true });
  const arranged = (await store.readJson(keys.arrangement(runId), arrangement)) ?? {};
  const ends = await eachItem(
    foldersIn(arranged),
    async ({ owner, title, itemIds }): Promise<ItemEnd> => {
      const { id: folder, isMade } = await folderOf({ store, portal, runId }, owner, title);
      for (const itemId of itemIds) {
        const item = arranged[itemId];
        if (item) arranged[itemId] = { ...item, placement: { ...item.placement, folder } };
      }
      return { isDone: isMade };
    },
    ({ owner, title }, words) => ({
      line: `the folder "${title}" of ${owner} could not be created: ${words}`,
    }),
  );
  await store.writeJson(keys.arrangement(runId), arranged);
  const { done: made, differing } = summaryOf(ends);
  return { made, differing };
}

/** Finds a folder of an owner, or creates it. */
async function folderOf(
  { store, portal, runId }: { readonly store: Store; readonly portal: Portal; readonly runId: string },
  owner: string,
  title: string,
): Promise<{ id: string; isMade: boolean }> {
  const noted = (await store.readJson(keys.madeFolders(runId), madeFolders)) ?? [];
  const isThis = (each: { owner: string; title: string }): boolean =>
    isSameUser(each.owner, owner) && each.title === title;
  const others = noted.filter((each) => !isThis(each));
  const note = (more: typeof noted): Promise<void> =>
    store.writeJson(keys.madeFolders(runId), [...others, ...more]);
  const begun = noted.find(isThis);
  const there = (await listFolders(portal, owner)).find((each) => each.title === title);
  if (there) {
    if (begun) await note([{ ...begun, folderId: there.id }]);
    return { id: there.id, isMade: false };
  }
  await note([{ owner, title }]);
  const { folder, created } = await createFolder(portal, { username: owner, title }).catch(
    async (thrown: unknown) => {
      if (PortolanError.from(thrown).meaning.begun === 'no') await note([]);
      throw thrown;
    },
  );
  await note(created ? [{ owner, title, folderId: folder.id }] : []);
  return { id: folder.id, isMade: created };
}

/** Records created items after their placement was applied, so that a rollback deletes those still unchanged. */
export async function noteArranged(
  { store, portals }: ActivityDeps,
  { runId, target }: RunOnTarget,
): Promise<void> {
  const created = await store.readJson(keys.created(runId), createdItems);
  const touched = await readIds(store, keys.rearranged(runId));
  if (!created) return;
  const portal = portals.open(target.name);
  await countEach([...touched], async (itemId) => {
    const left = created.items[itemId];
    const item = left?.givenTo === undefined ? undefined : await findItem(portal, itemId);
    if (!left || !item) return;
    created.items[itemId] = {
      ...left,
      owner: item.owner ?? left.owner,
      modified: item.modified ?? null,
      protected: item.protected || undefined,
    };
  });
  await store.writeJson(keys.created(runId), created);
}

/** A folder in which created items belong. */
interface DesiredFolder {
  readonly owner: string;
  readonly title: string;
  readonly itemIds: string[];
}

/** The desired folders, each with its items. */
function foldersIn(arranged: Arrangement): DesiredFolder[] {
  const folders = new Map<string, DesiredFolder>();
  for (const [itemId, { placement }] of Object.entries(arranged)) {
    const { owner, folderTitle: title } = placement;
    if (owner === undefined || title === undefined) continue;
    const key = JSON.stringify([owner, title]);
    const folder = folders.get(key) ?? { owner, title, itemIds: [] };
    folder.itemIds.push(itemId);
    folders.set(key, folder);
  }
  return [...folders.values()];
}
