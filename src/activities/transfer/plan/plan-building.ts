import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import { z } from 'zod';
import { mapLimited } from '../../../model/map-limited';
import { REQUESTS_AT_A_TIME } from '../../../portal/http/limiter';
import type { Plan, PlanRow } from '../../../model/transfer/plan';
import { requestedItem } from '../../../model/transfer/requested';
import type { PutRight } from '../../../model/transfer/apply-placement';
import type { Route } from '../../../model/transfer/route';
import { ItemsAsLeft } from '../../../domain/release/edited-items';
import { missingGroups } from '../../../domain/transfer/group-apps';
import { importAccount, NewOwners } from '../../../domain/transfer/arrangement/new-owners';
import {
  comingItems,
  comingRows,
  type OverwriteEvidence,
  type PlanEvidence,
  planOf,
  type RowOfPart,
} from '../../../domain/transfer/plan-of';
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
  const reader = readerOf(deps, input);
  const evidence = await gatherEvidence(deps, reader, input, preview);
  const overwritten = comingRows(evidence).filter(({ action }) => action === 'overwrite');
  return planOf(
    { ...evidence, map },
    await readOverwritten(deps, reader, input, evidence.group, overwritten),
  );
}

type Reader = Parameters<typeof beyondReach>[0];

function readerOf({ portals }: PlanDeps, { target }: ReadPlan): Reader {
  const portal = portals.open(target.name);
  const signal = stopSignal();
  const groups = new GroupsOfItems(portal, { signal }, lastError);
  return { portal, target, roots: new Roots(portal, signal), groups };
}

async function gatherEvidence(
  deps: PlanDeps,
  { portal, groups }: Reader,
  input: ReadPlan,
  preview: readonly RowOfPart[],
): Promise<PlanEvidence> {
  const { store } = deps;
  const { route, runId, target, undoing, putRight } = input;
  const options = { signal: stopSignal() };
  const requested = await readPages(store, keys.requested(runId), requestedItem);
  const inSource = new Set(await store.readJson(keys.sourceIds(runId), z.array(z.string())));
  const { last } = await readLastRun(store, route);
  const carried = input.imported && (await readPlanFile(store, input.imported.planRef));
  const { parts: importedParts = 0 } = input.imported ?? {};
  const group = await listGroup(portal, route.target.groupId, options.signal);
  const newOwners = putRight && new NewOwners(portal, putRight, importAccount(target, route), options);
  const asked = new Map(requested.map((item) => [item.itemId, item]));
  const coming = comingItems({ preview, requested });
  const lacking = await missingGroups(
    portal,
    coming.flatMap(({ itemId }) => asked.get(itemId)?.group ?? []),
    options,
  );
  const overwrites =
    route.options.overwrite && coming.some(({ itemId, exists }) => exists || group.has(itemId));
  const held = overwrites ? await HeldItems.from(runId, target, deps) : undefined;
  const outsiders = new Map<string, Item>();
  const owners = new Map<string, string>();
  const groupsOf = new Map<string, readonly string[]>();
  const heldBack = new Map<string, string>();
  await mapLimited(coming, REQUESTS_AT_A_TIME, async ({ itemId, exists }) => {
    const outsider = exists && !group.has(itemId) && (await findItem(portal, itemId, options));
    if (outsider) outsiders.set(itemId, outsider);
    // An unreadable list is no error: verification then compares no groups.
    const seen = group.has(itemId) ? await groups.find(itemId, []).catch(() => undefined) : undefined;
    if (seen?.own) groupsOf.set(itemId, [...seen.ids]);
    const owner = await newOwners?.of(asked.get(itemId)?.owner);
    if (owner !== undefined) owners.set(itemId, owner);
    const why = held?.whyNot(itemId);
    if (why !== undefined) heldBack.set(itemId, why);
  });
  const packages = input.packages.map(({ sha256, itemId }) => ({ sha256, itemId }));
  const [first] = packages;
  return {
    ...{
      route,
      packages,
      preview,
      requested,
      inSource,
      group,
      outsiders,
      owners,
      groupsOf,
      lacking,
      heldBack,
    },
    username: target.username,
    lastModified: last?.modified ?? {},
    undoes: input.undoes,
    // Rows already imported stay as planned, although the target now has them.
    imported: carried?.rows.filter(({ part }) => part !== undefined && part < importedParts) ?? [],
    undone: undoing ? await undoRows(deps, { ...input, ...undoing }) : [],
    packageAdded: carried
      ? carried.packageAdded
      : first && (await findItem(portal, first.itemId, options))?.created,
    readAt: new Date(serverTime()).toISOString(),
  };
}

async function readOverwritten(
  { store }: PlanDeps,
  reader: Reader,
  { keepsEditedSince: since }: ReadPlan,
  group: PlanEvidence['group'],
  rows: readonly PlanRow[],
): Promise<OverwriteEvidence> {
  const signal = stopSignal();
  const left =
    since === undefined ? undefined : await ItemsAsLeft.of(since, { store, ...reader }, { signal });
  const items = new Set<string>();
  const beyond = new Map<string, readonly string[]>();
  await mapLimited(rows, REQUESTS_AT_A_TIME, async ({ itemId }) => {
    if (await left?.edited(itemId)) items.add(itemId);
    else beyond.set(itemId, await beyondReach(reader, itemId, group.get(itemId), signal));
  });
  return { edited: since === undefined ? undefined : { since, items }, beyond };
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
  const none = new Map<string, never>();
  return planOf(
    {
      ...{ route, packages: [], preview: [], requested: [], imported: [], lastModified: {} },
      ...{ group: none, outsiders: none, groupsOf: none, owners: none, heldBack: none },
      ...{ inSource: new Set(), lacking: new Set() },
      undone: await undoRows(deps, { ...input, ...undoing }),
      readAt: new Date(serverTime()).toISOString(),
    },
    { beyond: none },
  );
}
