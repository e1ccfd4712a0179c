import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import { isPackaged, type Plan, type PlanRow } from '../../../model/transfer/plan';
import { shortHash } from '../../../model/transfer/plan-hash';
import type { PreviewRow } from '../../../model/transfer/preview';
import { requestedItem } from '../../../model/transfer/requested';
import type { PutRight } from '../../../model/transfer/apply-placement';
import type { Route, RouteOptions, RouteTarget } from '../../../model/transfer/route';
import { editedSince, ItemsAsLeft } from '../../../domain/release/edited-items';
import { missingGroups, withGroup } from '../../../domain/transfer/group-apps';
import { importAccount, NewOwners } from '../../../domain/transfer/arrangement/new-owners';
import { planRowFor, untouchedRow } from '../../../domain/transfer/plan-rules';
import { GroupsOfItems } from '../../../portal/resources/items/item-groups';
import { findItem } from '../../../portal/resources/items/items';
import type { Item } from '../../../portal/resources/items/item';
import { keys } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { lastError, stopSignal } from '../../attempt/heartbeat';
import { HeldItems } from './held-items';
import { beyondReach, Roots } from '../read-placement';
import { readLastRun, readPages, readPlanFile } from './stored-lists';
import { type Undoing, undoRows } from './undo-rows';
import { listGroup } from '../../../portal/resources/groups';
import { serverTime } from '../../attempt/clock';

export interface ReadPlan {
  readonly runId: string;
  /** Number of the reading within the run, so that earlier plans stay available. */
  readonly reading: number;
  readonly route: Route;
  readonly target: PortalFacts;
  readonly packageItemId: string;
  /** `packageSummary.id` of the preview. */
  readonly previewId?: string;
  readonly packageSha256: string;
  /** Number of items in the package, if the preview says so. */
  readonly total?: number;
  /** The package is the safeguard of a rolled-back run. @default false */
  readonly undoes?: boolean;
  /** What a rollback does besides its import. @default nothing */
  readonly undoing?: Undoing;
  /** The placement to apply to created items. @default none */
  readonly putRight?: PutRight;
  /** An import comes next, so the prior state is saved. @default true */
  readonly importsNext?: boolean;
  /** Further packages of the run. */
  readonly further?: readonly PreviewedPackage[];
  /** For a rollback: items edited since that run are kept. @default they are overwritten */
  readonly keepsEditedSince?: string;
  /** The run maps what it imports, by the map it was started with. @default false */
  readonly maps?: boolean;
  /** How many packages are already imported, and by which plan. */
  readonly imported?: { readonly parts: number; readonly planRef: string };
}

/** A package on the target whose preview was requested. */
export interface PreviewedPackage {
  readonly packageItemId: string;
  readonly previewId?: string;
  readonly packageSha256: string;
  readonly total?: number;
}

/** A preview row and the index of its package. */
export type RowOfPart = PreviewRow & { readonly part?: number };

type PlanDeps = Pick<ActivityDeps, 'portals' | 'store' | 'snapshots' | 'authority'>;

/** Joins the preview's rows with the target's current content. @param map sha256 of the run's map */
export async function buildPlan(
  deps: PlanDeps,
  input: ReadPlan,
  preview: readonly RowOfPart[],
  map?: string,
): Promise<Plan> {
  const { portals, store } = deps;
  const { route, runId, undoing } = input;
  const portal = portals.open(input.target.name);
  const signal = stopSignal();
  const listed = await readPages(store, keys.requested(runId), requestedItem);
  const stays = listed.filter(({ same }) => same);
  const requested = new Map(
    listed.flatMap((item) => (item.excluded || item.same ? [] : [[item.itemId, item]])),
  );
  const inSource = new Set(await store.readJson(keys.sourceIds(runId), z.array(z.string())));
  const { last: before } = await readLastRun(store, route);
  const carried = input.imported && (await readPlanFile(store, input.imported.planRef));
  const { parts: imported = 0 } = input.imported ?? {};
  const group = await listGroup(portal, route.target.groupId, signal);

  const owners =
    input.putRight && new NewOwners(portal, input.putRight, importAccount(input.target, route), { signal });

  const { keepsEditedSince } = input;
  const left =
    keepsEditedSince === undefined
      ? undefined
      : await ItemsAsLeft.of(keepsEditedSince, { store, portal }, { signal });

  const reader = {
    portal,
    target: input.target,
    roots: new Roots(portal, signal),
    groups: new GroupsOfItems(portal, { signal }, lastError),
  };

  // Items added to the group after the run began are left for the next one; excluded items are in no plan.
  const asked = preview.filter(({ itemId, part = 0 }) => {
    const item = requested.get(itemId);
    // A package may hold an earlier state of an item in another package.
    return item !== undefined && (item.part ?? 0) === part;
  });
  const groups = new Map(listed.flatMap(({ itemId, group }) => (group ? [[itemId, group]] : [])));
  const comes = asked.flatMap(({ itemId }) => groups.get(itemId) ?? []);
  const lacking = await missingGroups(portal, comes, { signal });
  const overwrites =
    route.options.overwrite && asked.some(({ itemId, exists }) => exists || group.has(itemId));
  const held = overwrites ? await HeldItems.from(runId, input.target, deps) : undefined;
  const rows: PlanRow[] = await mapLimited(asked, REQUESTS_AT_A_TIME, async (row) => {
    const inGroup = group.get(row.itemId);
    const found: Item | undefined =
      inGroup ?? (row.exists ? await findItem(portal, row.itemId, { signal }) : undefined);
    const owner = await owners?.of(requested.get(row.itemId)?.owner);
    const planned = planRowFor(
      row,
      {
        held: found,
        inGroup: inGroup !== undefined,
        groups: inGroup ? await groupsOf(inGroup.id) : undefined,
        username: input.target.username,
        isUndone: input.undoes,
        newOwner: owner,
        lastModified: before?.modified[row.itemId],
        driftedSince: requested.get(row.itemId)?.drifted,
        heldBack: held?.whyNot(row.itemId),
      },
      route.options,
    );
    if (left && planned.action === 'overwrite' && (await left.edited(row.itemId)))
      return { ...planned, action: 'keep', reason: editedSince(keepsEditedSince ?? '') };
    const beyond =
      planned.action === 'overwrite' ? await beyondReach(reader, row.itemId, inGroup, signal) : [];
    const shown = groups.get(row.itemId);
    return withGroup(
      {
        ...planned,
        owner: planned.action === 'create' ? owner : undefined,
        part: row.part || undefined,
        ...(beyond.length > 0 && { beyond: [...beyond] }),
      },
      shown && lacking.has(shown) ? shown : undefined,
      route,
    );
  });
  const untouched = stays.flatMap((item) => untouchedRow(item, group.get(item.itemId)) ?? []);
  const undone = undoing ? await undoRows(deps, { ...input, ...undoing }) : [];
  const undoneIds = new Set(undone.map(({ itemId }) => itemId));
  const extras = [...group.values()]
    .filter((item) => !inSource.has(item.id) && !undoneIds.has(item.id))
    .map((item): PlanRow => ({
      itemId: item.id,
      type: item.type ?? '?',
      title: item.title ?? '?',
      size: item.size,
      action: 'extra',
    }));
  // Rows already imported stay as planned, although the target now has them.
  const untouchedIds = new Set(stays.map(({ itemId }) => itemId));
  const done = carried?.rows.filter(
    (row) => (row.part ?? 0) < imported && isPackaged(row) && !untouchedIds.has(row.itemId),
  );
  const all = [...(done ?? []), ...rows, ...untouched, ...undone, ...extras];
  const further = input.further?.map(({ packageSha256, packageItemId }) => ({
    packageSha256,
    previewId: packageItemId,
  }));
  const sha256 = planHash(packagesHash({ ...input, further }), route.target, route.options, all, map);
  return {
    hash: shortHash(sha256),
    sha256,
    packageSha256: input.packageSha256,
    further,
    targetGroupId: route.target.groupId,
    previewId: input.packageItemId,
    arrivedLater: preview.filter((row) => !inSource.has(row.itemId)).length,
    readAt: new Date(serverTime()).toISOString(),
    packageAdded: carried
      ? carried.packageAdded
      : (await findItem(portal, input.packageItemId, { signal }))?.created,
    rows: all,
  };

  /** Other groups an item is shared with, which verification compares. An unreadable list is no error. */
  async function groupsOf(itemId: string): Promise<string[] | undefined> {
    const found = await reader.groups.find(itemId, []).catch(() => undefined);
    return found?.own && [...found.ids];
  }
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
  const rows = await undoRows(deps, { ...input, ...undoing });
  const packageSha256 = '';
  const sha256 = planHash(packageSha256, route.target, route.options, rows);
  return {
    ...{ hash: shortHash(sha256), sha256, packageSha256, rows },
    ...{ targetGroupId: route.target.groupId, previewId: '', arrivedLater: 0 },
    readAt: new Date(serverTime()).toISOString(),
  };
}

/** Represents the packages in a plan's hash. */
export const packagesHash = ({
  packageSha256,
  further = [],
}: Pick<Plan, 'packageSha256' | 'further'>): string =>
  [packageSha256, ...further.map((each) => each.packageSha256)].join();

/** The sha256, in hexadecimal, of everything an approval covers. */
export function planHash(
  packageSha256: string,
  { groupId, folderId, folderOwner }: Pick<RouteTarget, 'groupId' | 'folderId' | 'folderOwner'>,
  options: RouteOptions,
  rows: readonly PlanRow[],
  map?: string,
): string {
  const facts = rows
    .map((row) => [
      row.itemId,
      row.action,
      row.type,
      row.title,
      row.target?.modified ?? null,
      row.target?.owner ?? null,
      row.target?.access ?? null,
      ...(row.beyond ? [row.beyond] : []),
      ...(row.owner === undefined ? [] : [{ owner: row.owner }]),
    ])
    .map((fact) => JSON.stringify(fact))
    .sort();
  const chosen = [
    options.overwrite,
    options.data,
    [...(options.items ?? [])].sort(),
    [...options.take].sort(),
    folderId ?? null,
    folderOwner ?? null,
  ];
  return createHash('sha256')
    .update(JSON.stringify([packageSha256, groupId, chosen, facts, ...(map === undefined ? [] : [{ map }])]))
    .digest('hex');
}
