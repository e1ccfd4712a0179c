import {
  type ComparedItem,
  Comparison,
  type Coming,
  hostedByBoth,
  keptBySnapshot,
  type Settings,
  unreadContent,
} from '../../../domain/change/comparison';
import { importedAddresses } from '../../../domain/change/imported-addresses';
import { type ItemContent, itemContent } from '../../../domain/change/item-content';
import { rowsAsPackaged } from '../../../domain/change/packaged-rows';
import { ItemReader } from '../../../domain/change/item-reader';
import { isHostedService } from '../../../domain/transfer/classify-item';
import { isOnePortal } from '../../../domain/transfer/guards/portal';
import { readOutcomes } from '../../../domain/transfer/outcomes';
import type { PlanEvidence } from '../../../domain/transfer/plan';
import type { PortalFacts, RunOnTarget } from '../../../domain/transfer/portal-facts';
import { serviceReasonOf } from '../../../domain/transfer/retry';
import { PortolanError } from '../../../model/errors/errors';
import { referenceMap, type ReferenceMap } from '../../../model/release/reference-map';
import { z } from 'zod';
import { findItem, readItem } from '../../../portal/resources/items/items';
import { keys } from '../../../store/keys';
import type { ActivityDeps } from '../../deps';
import { lastError, stoppable, stopSignal } from '../../attempt/heartbeat';
import { placementsIn, readOrUndefined } from '../read-placement';
import { readMoved } from './stored-lists';

/**
 * Content of the source's items, as the package has it. Kept once it was read: what people edit there later is not in
 * the package.
 */
function comingFromSource({ portals, store }: ActivityDeps, runId: string, source: PortalFacts): Coming {
  const portal = portals.open(source.name);
  const reader = new ItemReader(portal, { ...stoppable(), onFailed: lastError });
  const readNow = async ({ itemId, packaged = [] }: ComparedItem): Promise<ItemContent> => {
    const content = await reader.read(itemId);
    const { modified } = content.details;
    const isPackaged = typeof modified === 'number' && packaged.includes(modified);
    if (content.unread === undefined && !isPackaged)
      return unreadContent(`it was edited on ${source.name} after its export`);
    // It may have been edited while it was read.
    const after = content.unread === undefined ? await readItem(portal, itemId) : undefined;
    return after && after.modified !== modified
      ? unreadContent(`it is being edited on ${source.name}`)
      : content;
  };
  return async (item) => {
    const key = keys.comingContent(runId, item.itemId);
    const kept = await store.readJson(key, itemContent);
    if (kept) return kept;
    const read = await readNow(item).catch((thrown: unknown) =>
      unreadContent(serviceReasonOf(lastError(thrown))),
    );
    await store.writeJson(key, read);
    return read;
  };
}

/** A run whose plan is read. */
export interface ComparedRun extends RunOnTarget {
  /** Where the content comes from: a portal, or the snapshot below as its portal was then. */
  readonly source?: PortalFacts;
  readonly snapshotId?: string;
  /** URLs of the portal that made the packages, from their previews. */
  readonly sourceAddresses?: readonly string[];
  /** It rolls a run back, so that it restores placements. @default false */
  readonly undoes?: boolean;
}

/** Of hosted services that are not requested, so many tell where the hosting servers are. */
const ASKED_MAX = 5;

/** URLs of the source's hosted services, by item ID. */
async function urlsOnSource(
  { portals, snapshots }: ActivityDeps,
  { source, snapshotId }: ComparedRun,
  { requested, group }: Pick<PlanEvidence, 'requested' | 'group'>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const urls = new Map(requested.map(({ itemId, url }) => [itemId, url]));
  const held = [...group.values()].filter((item) => item.url && isHostedService(item));
  if (snapshotId !== undefined) {
    const rows = await snapshots.rowsOf(await snapshots.read(snapshotId));
    for (const { itemId, url } of rows) urls.set(itemId, url);
  } else if (source && !held.some(({ id }) => urls.has(id))) {
    const portal = portals.open(source.name);
    for (const { id } of held.slice(0, ASKED_MAX))
      urls.set(id, (await readOrUndefined(() => findItem(portal, id)))?.url);
  }
  return urls;
}

const rewritten = z.object({ coming: referenceMap, held: referenceMap });

/** The addresses that a run's imports rewrite, found once: services that it creates must not make another plan of it. */
async function addressesOf(
  deps: ActivityDeps,
  run: ComparedRun,
  items: Pick<PlanEvidence, 'requested' | 'group'>,
): Promise<z.infer<typeof rewritten> | undefined> {
  const { store } = deps;
  const { runId, source, target, sourceAddresses = [] } = run;
  const key = keys.importedAddresses(runId);
  const known = await store.readJson(key, rewritten);
  // On one portal an import rewrites nothing, so http instead of https is a change.
  if (known || !source || isOnePortal(source, target)) return known;
  const services = hostedByBoth(await urlsOnSource(deps, run, items), [...items.group.values()]);
  const found = importedAddresses({ source, target, sourceAddresses, services });
  await store.writeJson(key, found);
  return found;
}

/** The comparison that a run's plan needs. */
export async function openComparison(
  deps: ActivityDeps,
  run: ComparedRun,
  { requested, group, map }: Pick<PlanEvidence, 'requested' | 'group'> & { readonly map?: ReferenceMap },
): Promise<Comparison> {
  const { runId, route, target, source, snapshotId, undoes } = run;
  if (!source) throw new PortolanError('INTERNAL', `${runId} has no source to compare with`);
  const isOne = isOnePortal(source, target);
  return new Comparison(deps.portals.open(target.name), {
    signal: stopSignal(),
    onFailed: lastError,
    target,
    groupId: route.target.groupId,
    coming:
      snapshotId === undefined
        ? comingFromSource(deps, runId, source)
        : await keptBySnapshot(deps.snapshots, snapshotId),
    addresses: await addressesOf(deps, run, { requested, group }),
    map,
    isOnePortal: isOne,
    rows:
      snapshotId === undefined || isOne
        ? undefined
        : await rowsAsPackaged(deps.snapshots, snapshotId, (await readOutcomes(deps.store, route)).known),
    placed: undoes && snapshotId !== undefined ? await placementsIn(deps.snapshots, [snapshotId]) : undefined,
    moved: new Set(Object.keys(await readMoved(deps.store, runId))),
  });
}

/** The comparison with a snapshot of what the same portal held before. */
export async function compareWithSafeguard(
  deps: ActivityDeps,
  portalName: string,
  { snapshotId, ...rest }: Pick<Settings, 'target' | 'groupId'> & { readonly snapshotId: string },
): Promise<Comparison> {
  return new Comparison(deps.portals.open(portalName), {
    signal: stopSignal(),
    onFailed: lastError,
    ...rest,
    coming: await keptBySnapshot(deps.snapshots, snapshotId),
    isOnePortal: true,
    placed: await placementsIn(deps.snapshots, [snapshotId]),
  });
}
