import { z } from 'zod';
import { isOnePortal } from '../../domain/transfer/guards/portal';
import { packagedRows } from '../../domain/change/packaged-rows';
import { countHostedLayers } from '../../domain/transfer/layers';
import { rememberRows } from '../../domain/transfer/outcomes';
import type { PortalFacts, RunOnBoth, RunOnPlan } from '../../domain/transfer/portal-facts';
import { type RouteAddresses, routeAddresses, serviceKey } from '../../domain/transfer/references/addresses';
import { isHostedService } from '../../domain/transfer/classify-item';
import type { Item } from '../../portal/resources/items/item';
import { MappedTargets } from '../../domain/transfer/references/map';
import {
  JoinedVerifications,
  lengthOf,
  openVerification,
  originOn,
  recordedOrigin,
} from '../../domain/transfer/verify/verification';
import {
  type ExpectedItem,
  verifyAll,
  type ExpectedPlacement,
} from '../../domain/transfer/verify/verify-item';
import { arrangement, type Placement } from '../../model/transfer/placement';
import { isIdentical, type PlanRow } from '../../model/transfer/plan';
import { type RequestedItem } from '../../model/transfer/requested';
import { type Outcome, verification, type VerificationCounts } from '../../model/transfer/verification';
import { keys, pageName } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { eachPage, countEach } from '../attempt/each-item';
import { stoppable } from '../attempt/heartbeat';
import { mapOfRun } from '../release/mappings';
import { readSeenOnTarget } from './skip-unchanged';
import { type DisplacedCounts, findDisplaced } from './placements';
import { readImported, readPlanFile, readRequested } from './plan/stored-lists';
import { placementsIn } from './read-placement';
import { listGroup } from '../../portal/resources/groups';

const layerCount = z.object({
  layerId: z.number(),
  name: z.string(),
  count: z.number().optional(),
  reason: z.string().optional(),
});
/** Rows of every layer of the source's hosted services, by item ID. */
const sourceCounts = z.record(z.string(), z.array(layerCount));
type SourceCounts = z.infer<typeof sourceCounts>;

/** Items between two saves of progress, which a killed worker may have to check again. */
const ITEMS_A_MARK = 40;

interface VerifyItems extends RunOnBoth, RunOnPlan {
  /** The restored snapshot, read instead of the source portal. */
  readonly snapshotId?: string;
  /** URLs of the portal that made the package, from the preview. */
  readonly sourceAddresses: readonly string[];
  /** Snapshots with the placement of overwritten items. @default as the plan has it */
  readonly placedAsIn?: readonly string[];
  /** The run maps what it imports. @default false */
  readonly maps?: boolean;
}

/** The result of verification, and which placements the import changed, if any. */
type VerifiedItems = VerificationCounts & { readonly displaced?: DisplacedCounts };

/** Counts the rows of hosted services about to be exported. Services that do not respond are left out. */
export async function countSource(
  { portals, store }: ActivityDeps,
  input: { runId: string; source: PortalFacts },
): Promise<void> {
  const portal = portals.open(input.source.name);
  const hosted = (await readRequested(store, input.runId)).filter((item) => item.hosted && !item.same);
  const counts: SourceCounts = {};
  const countOne = async (item: RequestedItem): Promise<void> => {
    const layers = await countHostedLayers(portal, item);
    if (layers) counts[item.itemId] = layers;
  };
  await countEach(hosted, countOne, 1);
  await store.writeJson(keys.sourceCounts(input.runId), counts);
}

/**
 * Reads every imported or identical item back, and counts changed placements. Continues where an earlier attempt stopped.
 */
export async function verifyItems(deps: ActivityDeps, input: VerifyItems): Promise<VerifiedItems> {
  const { portals, snapshots, store, authority } = deps;
  const { runId, route, source, target, snapshotId } = input;
  const expected = await broughtItems(deps, input);
  const requested = await readRequested(store, runId);
  const signed = input.maps ? await mapOfRun(authority, runId) : undefined;
  const to = portals.open(target.name);
  const listed = await listGroup(to, route.target.groupId);
  const context = openVerification({
    origin:
      snapshotId === undefined
        ? originOn(portals.open(source.name), stoppable())
        : recordedOrigin(`snapshot ${snapshotId}`, await snapshots.rowsOf(await snapshots.read(snapshotId))),
    target: to,
    targetGroupId: route.target.groupId,
    account: target,
    listed,
    addresses: portalAddresses(input, requested, listed),
    sourceServices: servicesAmong(requested),
    mapped: signed && new MappedTargets(signed.map),
    options: stoppable(),
  });
  await eachPage(expected, ITEMS_A_MARK, async (page, from, count) => {
    await store.writeJson(`${keys.verified(runId)}${pageName(from)}`, await verifyAll(context, page, count));
  });
  const displaced = await findDisplaced(deps, input);
  const found = await reportFindings(deps, input);
  await rememberBroughtRows(deps, input);
  return { ...found, displaced };
}

/** Notes the rows that a snapshot brought to another portal, so that the next one can tell whether they are the same. */
async function rememberBroughtRows(
  { snapshots, store }: ActivityDeps,
  { runId, route, source, target, snapshotId }: VerifyItems,
): Promise<void> {
  if (snapshotId === undefined || isOnePortal(source, target)) return;
  const verified = await store.readJson(keys.verification(runId), verification);
  if (!verified || verified.leftOut?.findings) return;
  const faulty = new Set(verified.findings.map(({ itemId }) => itemId));
  const imported = new Set((await readImported(store, runId)).map((row) => row.itemId));
  const seen = await readSeenOnTarget(store, runId);
  const manifest = await snapshots.read(snapshotId);
  const found = new Map<string, Outcome['rows']>();
  for (const row of await snapshots.rowsOf(manifest)) {
    if (!row.hosted || !imported.has(row.itemId)) continue;
    const { rows: to } = seen[row.itemId] ?? {};
    const from = faulty.has(row.itemId) ? undefined : await packagedRows(snapshots, manifest, row);
    found.set(row.itemId, from && to ? { source: from, target: to } : undefined);
  }
  await rememberRows(store, { runId, route }, found);
}

/** Reports the findings of the run so far, and those of earlier runs. */
export async function reportFindings(
  { store }: ActivityDeps,
  { runId }: Pick<VerifyItems, 'runId'>,
): Promise<VerificationCounts> {
  const joined = new JoinedVerifications();
  for await (const key of store.list(keys.verified(runId))) {
    const part = await store.readJson(key, verification);
    if (part) joined.add(part);
  }
  const { whole } = joined;
  const ref = keys.verification(runId);
  await store.writeJson(ref, whole);
  return {
    ...whole,
    notChecked: lengthOf(whole, 'notChecked'),
    external: lengthOf(whole, 'external'),
    findings: lengthOf(whole, 'findings'),
    ref,
  };
}

/**
 * The URLs of both portals. Only administrators can list a portal's servers; for others the hosted services' own URLs
 * show them. A snapshot restored to its own portal keeps its URLs.
 */
function portalAddresses(
  { source, target, sourceAddresses }: VerifyItems,
  requested: readonly RequestedItem[],
  listed: ReadonlyMap<string, Item>,
): RouteAddresses {
  const ofSource = requested.flatMap((item) => (item.hosted && item.url ? [item.url] : []));
  const ofTarget = [...listed.values()].flatMap((item) =>
    isHostedService(item) && item.url ? [item.url] : [],
  );
  const seen = isOnePortal(source, target)
    ? { target: [...ofSource, ...ofTarget] }
    : { source: ofSource, target: ofTarget };
  return routeAddresses([...source.addresses, ...sourceAddresses], target.addresses, seen);
}

const servicesAmong = (requested: readonly RequestedItem[]): ReadonlyMap<string, string> =>
  new Map(
    requested.flatMap(({ hosted, url, itemId }) => (hosted ? [[serviceKey(url ?? '') ?? '', itemId]] : [])),
  );

/** What was imported, and what was left alone because it is identical. */
async function broughtItems({ store, snapshots }: ActivityDeps, input: VerifyItems): Promise<ExpectedItem[]> {
  const plan = await readPlanFile(store, input.planRef);
  const imported = await readImported(store, input.runId);
  const entries = [...imported, ...plan.rows.filter(isIdentical)];
  const rows = new Map(plan.rows.map((row) => [row.itemId, row]));
  const counts = (await store.readJson(keys.sourceCounts(input.runId), sourceCounts)) ?? {};
  const placed = await placementsIn(snapshots, input.placedAsIn);
  const arranged = (await store.readJson(keys.arrangement(input.runId), arrangement)) ?? {};
  return entries.map(({ itemId }): ExpectedItem => {
    const row = rows.get(itemId);
    const { type, title, target: before } = row ?? {};
    const { placement } = placed.get(itemId) ?? arranged[itemId] ?? {};
    return { itemId, type, title, placed: expectedPlacement(before, placement), layers: counts[itemId] };
  });
}

/** @param placement as recorded before the import, or as the run that created the item arranged it */
function expectedPlacement(
  before: PlanRow['target'],
  placement: Placement | undefined,
): ExpectedPlacement | undefined {
  if (!before) return placement && { placement, isNew: true };
  const { owner, access, groups, folder } = before;
  return { placement: { owner, access, groups, folder: folder ?? undefined, ...placement }, isNew: false };
}
