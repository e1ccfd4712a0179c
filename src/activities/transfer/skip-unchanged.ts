import { z } from 'zod';
import { isHostedService } from '../../domain/transfer/classify-item';
import { lastEditOf, readLayers, serviceOf } from '../../domain/transfer/layers';
import {
  outcomesAfter,
  readOutcomes,
  layersMark,
  recordMark,
  rowsMark,
  servicesToCompare,
  settlingTerms,
  sourceMark,
  untouched,
} from '../../domain/transfer/outcomes';
import type { RunOnBoth, RunOnTarget } from '../../domain/transfer/portal-facts';
import { emptyVerification, REMEMBERED_BYTES_MAX } from '../../domain/transfer/verify/verification';
import { shownByPlan } from '../../domain/transfer/packing';
import type { LastRun, RequestedItem } from '../../model/transfer/requested';
import type { SnapshotLayer } from '../../model/snapshot/snapshot';
import { ledger as ledgerSchema } from '../../model/transfer/ledger';
import { type Plan, plan } from '../../model/transfer/plan';
import { isChosen, type Route } from '../../model/transfer/route';
import { type Finding, verification } from '../../model/transfer/verification';
import { listGroup } from '../../portal/resources/groups';
import type { Item } from '../../portal/resources/items/item';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';
import { progress, stopSignal, activityTime } from '../attempt/heartbeat';
import { readIds, readRequested, writeRequested } from './plan/stored-lists';

type Deps = Pick<ActivityDeps, 'portals' | 'store'>;

/** The source's state before the export, and the comparison settings, saved to find unchanged items in later runs. */
const beginning = z.object({ terms: z.string(), source: z.record(z.string(), z.string()) });

/** Fingerprints of imported items on the target right after the import, by item ID. */
const marks = z.record(
  z.string(),
  z.object({
    record: z.string(),
    layers: z.string().optional(),
    /** Absent if somebody may have edited rows after their import. */
    rows: z.string().optional(),
  }),
);
type Marks = z.infer<typeof marks>;

export const readSeenOnTarget = async (store: Store, runId: string): Promise<Marks> =>
  (await store.readJson(keys.seenOnTarget(runId), marks)) ?? {};

/** Lists the target group if the run may skip unchanged items; undefined if it transfers everything. */
export function listedForComparison(
  { portals }: Pick<Deps, 'portals'>,
  { route, target }: Pick<RunOnTarget, 'route' | 'target'>,
  last: LastRun | undefined,
): Promise<Map<string, Item>> | undefined {
  if (isChosen(route.options) || !last?.whole || fullSyncReason(route, last) !== undefined) return undefined;
  const listing = listGroup(portals.open(target.name), route.target.groupId);
  // The error is thrown where it is awaited; without this, Node would report it as unhandled first.
  listing.catch(() => undefined);
  return listing;
}

/**
 * Marks the requested items that are unchanged on both sides since an earlier run, and saves the source's current state
 * for later runs.
 *
 * @param listing result of `listedForComparison`
 * @returns the requested items, and why everything is transferred if the route or starter wants that
 */
export async function skipUnchanged(
  { portals, store }: Deps,
  { runId, route, source, target }: RunOnBoth,
  last: LastRun | undefined,
  listing: Promise<ReadonlyMap<string, Item>> | undefined,
): Promise<{ readonly requested: RequestedItem[]; readonly whole?: string }> {
  const requested = await readRequested(store, runId);
  const terms = settlingTerms(route, source, target);
  const { known } = listing ? await readOutcomes(store, route) : { known: {} };
  const onTarget = (await listing) ?? new Map<string, Item>();
  const noted = { requested, known, terms, onTarget };
  const how = {
    signal: stopSignal(),
    onService: (services: number, of: number): void => progress({ services, of }),
  };
  const [sourceLayers, targetLayers] = await Promise.all([
    readLayers(
      portals.open(source.name),
      requested.filter(({ hosted }) => hosted),
      how,
    ),
    readLayers(portals.open(target.name), servicesToCompare(noted).map(serviceOf), { ...how, counts: false }),
  ]);
  await store.writeJson(keys.beginning(runId), {
    terms,
    source: Object.fromEntries(
      requested.flatMap((item) => {
        const mark = sourceMark(item, sourceLayers);
        return mark === undefined ? [] : [[item.itemId, mark]];
      }),
    ),
  } satisfies z.infer<typeof beginning>);
  if (!listing) return { requested, whole: fullSyncReason(route, last) };
  const { same, drifted } = untouched({ ...noted, sourceLayers, targetLayers });
  const marked = requested.map((item) => ({
    ...item,
    same: same.get(item.itemId),
    drifted: drifted.get(item.itemId),
  }));
  await writeRequested(store, runId, marked);
  const carried = marked.flatMap(({ itemId, same: stays }) =>
    (stays?.hasFindings ? (known[itemId]?.settled?.findings ?? []) : []).map((finding) => ({
      ...finding,
      foundBy: stays?.runId,
    })),
  );
  await store.writeJson(keys.verifiedBefore(runId), { ...emptyVerification(), findings: carried });
  return { requested: marked };
}

/** Why a run transfers everything although it could skip unchanged items; undefined if it skips them. */
function fullSyncReason({ options }: Route, last: LastRun | undefined): string | undefined {
  if (options.full) return 'as requested';
  const { fullEveryMs } = options;
  if (fullEveryMs === undefined || !last?.whole) return undefined;
  const isDue = activityTime() - Date.parse(last.whole.at) >= fullEveryMs;
  return isDue ? `the last full sync was ${last.whole.runId}` : undefined;
}

/** State of imported items right after the import. */
interface SeenOnTarget {
  readonly item?: Item;
  /** Of a hosted service; undefined if not all could be read. */
  readonly layers?: readonly SnapshotLayer[];
}

/** Reads imported items, and saves their fingerprints, by which later runs may skip them. */
export async function recordImportedState(
  { portals, store }: Deps,
  { runId, route, target }: RunOnTarget,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, SeenOnTarget>> {
  const portal = portals.open(target.name);
  const listed = await listGroup(portal, route.target.groupId);
  const items = itemIds.flatMap((itemId) => listed.get(itemId) ?? []);
  const layers = await readLayers(portal, items.filter(isHostedService).map(serviceOf), {
    counts: false,
    signal: stopSignal(),
    onService: (read, of) => progress({ services: read, of }),
  });
  const entries = items.flatMap((item): [string, Marks[string]][] => {
    const record = recordMark(item);
    const found = layers.get(item.id);
    const ofLayers = layersMark(found, { counted: false });
    if (record === undefined || (isHostedService(item) && ofLayers === undefined)) return [];
    // The import writes the item last.
    const isEdited = (lastEditOf(found) ?? 0) > (item.modified ?? 0);
    return [[item.id, { record, layers: ofLayers, rows: isEdited ? undefined : rowsMark(found) }]];
  });
  const before = await readSeenOnTarget(store, runId);
  await store.writeJson(keys.seenOnTarget(runId), { ...before, ...Object.fromEntries(entries) });
  return new Map(itemIds.map((id) => [id, { item: listed.get(id), layers: layers.get(id) }]));
}

/** Saves the results of a run's items for the route's next runs, and which of them can be skipped. */
export async function saveOutcomes(
  store: Store,
  { runId, route }: Pick<RunOnTarget, 'runId' | 'route'>,
  onTarget: ReadonlyMap<string, Item>,
): Promise<void> {
  const ended = await store.readJson(keys.ledger(runId), ledgerSchema);
  if (!ended) return;
  const { known } = await readOutcomes(store, route);
  const begun = await store.readJson(keys.beginning(runId), beginning);
  const seen = await readSeenOnTarget(store, runId);
  for (const itemId of await readIds(store, keys.rearranged(runId))) {
    const item = onTarget.get(itemId);
    const record = item && recordMark(item);
    if (seen[itemId] && record !== undefined) seen[itemId] = { ...seen[itemId], record };
  }
  const after = outcomesAfter(known, {
    runId,
    requested: await readRequested(store, runId),
    ledger: ended,
    onTarget,
    inSource: await readIds(store, keys.sourceIds(runId)),
    settling: begun && {
      ...begun,
      seen,
      findings: await findingsOf(store, runId),
    },
    weights: shownByPlan((await lastPlan(store, runId))?.rows ?? []),
  });
  await store.writeJson(keys.outcomes(route), after);
}

/** A run's findings by item ID; undefined if there are too many to pass on. */
async function findingsOf(store: Store, runId: string): Promise<Map<string, Finding[]> | undefined> {
  const found = new Map<string, Finding[]>();
  let bytes = 0;
  for await (const key of store.list(keys.verified(runId))) {
    for (const finding of (await store.readJson(key, verification))?.findings ?? []) {
      bytes += Buffer.byteLength(JSON.stringify(finding));
      if (bytes > REMEMBERED_BYTES_MAX) return undefined;
      found.set(finding.itemId, [...(found.get(finding.itemId) ?? []), finding]);
    }
  }
  return found;
}

/** The last plan a run read. */
async function lastPlan(store: Store, runId: string): Promise<Plan | undefined> {
  let last: { readonly key: string; readonly reading: number } | undefined;
  for await (const key of store.list(keys.run(runId))) {
    const reading = Number(keys.readingOfPlan(key) ?? 0);
    if (reading > (last?.reading ?? 0)) last = { key, reading };
  }
  return last && (await store.readJson(last.key, plan));
}
