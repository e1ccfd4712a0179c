import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { Plan, PlanRow } from '../../../model/transfer/plan';
import { requestedItem } from '../../../model/transfer/requested';
import type { PutRight } from '../../../model/transfer/apply-placement';
import type { Route } from '../../../model/transfer/route';
import { ItemsAsLeft, editedSince } from '../../../domain/release/edited-items';
import { missingGroups } from '../../../domain/transfer/group-apps';
import { importAccount, NewOwners } from '../../../domain/transfer/arrangement/new-owners';
import {
  type ComingItem,
  comingRows,
  type PlanEvidence,
  planOf,
  type RowOfPart,
} from '../../../domain/transfer/plan-of';
import { type Holding, planRowFor } from '../../../domain/transfer/plan-rules';
import { GroupsOfItems } from '../../../portal/resources/items/item-groups';
import { findItem } from '../../../portal/resources/items/items';
import { keys } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { lastError, stopSignal } from '../../attempt/heartbeat';
import { HeldItems } from './held-items';
import { beyondReach, Roots } from '../read-placement';
import { readIds, readLastRun, readPages, readPlanFile, chosenItems } from './stored-lists';
import { listGroup } from '../../../portal/resources/groups';
import { serverTime } from '../../attempt/clock';
import { createdItems } from '../../../model/transfer/created-items';
import type { Item } from '../../../portal/resources/items/item';
import { whyNotAsLeft } from '../../snapshot/as-left';

export interface ReadPlan {
  readonly runId: string;
  /** Number of the reading within the run, so that earlier plans stay available. */
  readonly reading: number;
  readonly route: Route;
  readonly target: PortalFacts;
  /** In the order in which they are imported. */
  readonly packages: readonly PreviewedPackage[];
  /** The package is the safeguard of a rolled-back run. @default false */
  readonly undoes?: boolean;
  /** What a rollback does besides its import. @default nothing */
  readonly undoing?: Undoing;
  /** The placement to apply to created items. @default none */
  readonly putRight?: PutRight;
  /** An import comes next, so the prior state is saved. @default true */
  readonly importsNext?: boolean;
  /** For a rollback: items edited since that run are kept. @default they are overwritten */
  readonly keepsEditedSince?: string;
  /** The run maps what it imports, by the map it was started with. @default false */
  readonly maps?: boolean;
  /** How many packages are already imported, and by which plan. */
  readonly imported?: { readonly parts: number; readonly planRef: string };
}

/** A package on the target whose preview was requested. */
export interface PreviewedPackage {
  readonly sha256: string;
  readonly itemId: string;
  /** `packageSummary.id` of the preview. */
  readonly previewId?: string;
  /** Number of items in the package, if the preview says so. */
  readonly total?: number;
}

type PlanDeps = Pick<ActivityDeps, 'portals' | 'store' | 'snapshots' | 'authority'>;

/** Joins the preview's rows with the target's current content. @param map sha256 of the run's map */
export async function buildPlan(
  deps: PlanDeps,
  input: ReadPlan,
  preview: readonly RowOfPart[],
  map?: string,
): Promise<Plan> {
  return planOf({ ...(await gatherEvidence(deps, input, preview)), map });
}

async function gatherEvidence(
  deps: PlanDeps,
  input: ReadPlan,
  preview: readonly RowOfPart[],
): Promise<PlanEvidence> {
  const { store, portals } = deps;
  const { route, runId, target, undoing } = input;
  const portal = portals.open(target.name);
  const options = { signal: stopSignal() };
  const requested = await readPages(store, keys.requested(runId), requestedItem);
  const inSource = await readIds(store, keys.sourceIds(runId));
  const carried = input.imported && (await readPlanFile(store, input.imported.planRef));
  const { parts: imported = 0 } = input.imported ?? {};
  const group = await listGroup(portal, route.target.groupId, options.signal);
  const packages = input.packages.map(({ sha256, itemId }) => ({ sha256, itemId }));
  const [first] = packages;
  return {
    ...{ route, packages, requested, inSource, preview, group },
    coming: await comingItems(deps, input, { preview, requested, group }),
    undone: undoing ? await undoRows(deps, { ...input, ...undoing }) : [],
    // Rows already imported stay as planned, although the target now has them.
    imported: carried?.rows.filter(({ part }) => part !== undefined && part < imported) ?? [],
    packageAdded: carried
      ? carried.packageAdded
      : first && (await findItem(portal, first.itemId, options))?.created,
    readAt: new Date(serverTime()).toISOString(),
  };
}

/** Reads what the target shows about the items in the packages. */
async function comingItems(
  deps: PlanDeps,
  input: ReadPlan,
  { preview, requested, group }: Pick<PlanEvidence, 'preview' | 'requested' | 'group'>,
): Promise<ComingItem[]> {
  const { portals, store } = deps;
  const { route, runId, target, putRight, undoes: isUndone, keepsEditedSince: since } = input;
  const portal = portals.open(target.name);
  const signal = stopSignal();
  const options = { signal };
  const groups = new GroupsOfItems(portal, options, lastError);
  const reader = { portal, target, roots: new Roots(portal, signal), groups };
  const { last } = await readLastRun(store, route);
  const owners = putRight && new NewOwners(portal, putRight, importAccount(target, route), options);
  const left = since === undefined ? undefined : await ItemsAsLeft.of(since, { store, portal }, options);
  const asked = new Map(requested.map((item) => [item.itemId, item]));
  const rows = comingRows(preview, asked);
  const shown = rows.flatMap(({ itemId }) => asked.get(itemId)?.group ?? []);
  const lacking = await missingGroups(portal, shown, options);
  const overwrites =
    route.options.overwrite && rows.some(({ itemId, exists }) => exists || group.has(itemId));
  const stages = overwrites ? await HeldItems.from(runId, target, deps) : undefined;
  return await mapLimited(rows, REQUESTS_AT_A_TIME, async (row): Promise<ComingItem> => {
    const { itemId } = row;
    const item = asked.get(itemId);
    const inGroup = group.get(itemId);
    const holding: Holding = {
      held: inGroup ?? (row.exists ? await findItem(portal, itemId, options) : undefined),
      inGroup: inGroup !== undefined,
      groups: inGroup && (await groupsOf(groups, itemId)),
      ...{ username: target.username, isUndone },
      newOwner: await owners?.of(item?.owner),
      lastModified: last?.modified[itemId],
      driftedSince: item?.drifted,
      heldBack: stages?.whyNot(itemId),
    };
    const lacks = item?.group && lacking.has(item.group) ? item.group : undefined;
    const coming = { row, holding, lacks };
    if (planRowFor(row, holding, route.options).action !== 'overwrite') return coming;
    if (await left?.edited(itemId)) return { ...coming, editedSince: since };
    return { ...coming, beyond: await beyondReach(reader, itemId, inGroup, signal) };
  });
}

/** Other groups an item is shared with, which verification compares. An unreadable list is no error. */
async function groupsOf(groups: GroupsOfItems, itemId: string): Promise<string[] | undefined> {
  const found = await groups.find(itemId, []).catch(() => undefined);
  return found?.own && [...found.ids];
}

export interface PlanUndo {
  readonly runId: string;
  readonly reading: number;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly undoing: Undoing;
  readonly keepsEditedSince?: string;
}

/** The plan of a rollback without a package. */
export async function buildUndoPlan(deps: PlanDeps, input: PlanUndo): Promise<Plan> {
  const { route, undoing } = input;
  return planOf({
    ...{ route, packages: [], requested: [], preview: [], coming: [], imported: [] },
    ...{ inSource: new Set(), group: new Map() },
    undone: await undoRows(deps, { ...input, ...undoing }),
    readAt: new Date(serverTime()).toISOString(),
  });
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

interface Undo extends Undoing {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
  /** Items edited since that run are kept. @default they are overwritten */
  readonly keepsEditedSince?: string;
}

/** Rows for what a rollback restores from copies and deletes, given the target's current content. */
export async function undoRows(
  {
    portals,
    store,
    snapshots,
    authority,
  }: Pick<ActivityDeps, 'portals' | 'store' | 'snapshots' | 'authority'>,
  { runId, of, copiesOf, remove = false, route, target, keepsEditedSince }: Undo,
): Promise<PlanRow[]> {
  if (copiesOf === undefined && !remove) return [];
  const held = await HeldItems.from(runId, target, { portals, authority });
  const portal = portals.open(target.name);
  const options = { signal: stopSignal() };
  return [...(await restored()), ...(await removed())];

  async function restored(): Promise<PlanRow[]> {
    if (copiesOf === undefined) return [];
    const chosen = await chosenItems(store, route.options);
    const desired = chosen && new Set(chosen);
    const copies = (await snapshots.rowsOf(await snapshots.read(copiesOf))).filter(
      ({ saved, itemId }) => saved === 'copy' && (desired?.has(itemId) ?? true),
    );
    const left =
      keepsEditedSince === undefined
        ? undefined
        : await ItemsAsLeft.of(keepsEditedSince, { store, portal }, options);
    const group = await listGroup(portal, route.target.groupId, options.signal);
    return await mapLimited(copies, REQUESTS_AT_A_TIME, async ({ itemId, type, title, size }) => {
      const found = await findItem(portal, itemId, options);
      const isEdited = (await left?.edited(itemId)) !== undefined;
      return {
        ...{ itemId, type, title, size, target: found && { ...targetOf(found), inGroup: group.has(itemId) } },
        ...decided(isEdited ? editedSince(keepsEditedSince ?? '') : undefined, held.whyNot(itemId)),
      };
    });
  }

  async function removed(): Promise<PlanRow[]> {
    const noted = remove ? await store.readJson(keys.created(of), createdItems) : undefined;
    if (!noted) return [];
    const rows = await mapLimited(
      Object.keys(noted.items),
      REQUESTS_AT_A_TIME,
      async (itemId): Promise<PlanRow[]> => {
        const found = await findItem(portal, itemId, options);
        if (!found || held.by(itemId) !== undefined) return [];
        if ((await whyNotAsLeft({ portal, options }, found, noted)) !== undefined) return [];
        const { type = '?', title = itemId, size } = found;
        const reason = `created by ${of}`;
        return [{ itemId, type, title, size, action: 'remove', reason, target: targetOf(found) }];
      },
    );
    return rows.flat();
  }
}

const decided = (
  edited: string | undefined,
  heldBack: string | undefined,
): Pick<PlanRow, 'action' | 'reason'> => {
  if (edited !== undefined) return { action: 'keep', reason: edited };
  return heldBack === undefined ? { action: 'restore' } : { action: 'blocked', reason: heldBack };
};

const targetOf = ({ modified, size, owner, access, type }: Item): NonNullable<PlanRow['target']> => ({
  modified,
  size,
  owner,
  access,
  type,
});
