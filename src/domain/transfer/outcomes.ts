import { knownTime, type SnapshotLayer } from '../../model/snapshot/snapshot';
import {
  type Outcomes,
  type Settled,
  type Outcome,
  outcomes,
  type Finding,
} from '../../model/transfer/verification';
import type { RequestedItem, SettledItem } from '../../model/transfer/requested';
import type { Route } from '../../model/transfer/route';
import type { Item } from '../../portal/resources/items/item';
import { hashOfJson } from '../snapshot/hashing';
import { holdsReferences } from './classify-item';
import type { PortalFacts } from './portal-facts';
import { serviceKey } from './references/addresses';
import type { Ledger, LedgerEntry } from '../../model/transfer/ledger';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys, outcomesInto } from '../../store/keys';
import type { Store } from '../../store/store';

const markOf = (facts: readonly unknown[]): string => hashOfJson(facts).slice(0, 32);

/**
 * What tells an item's record from another of the same item, as a listing shows it; undefined where it does not say
 * when it was changed. Where it lies and who sees it is left out: an import leaves both as they are.
 */
export function recordMark(item: Item): string | undefined {
  const { type, title, name, typeKeywords, url, owner, created, modified, size = -1 } = item;
  if (knownTime(modified) === undefined) return undefined;
  return markOf([type, title, name, typeKeywords, url, owner, created, modified, Math.max(size, -1)]);
}

/**
 * The fingerprint of a hosted service's layers; undefined if one does not report everything that could have changed.
 * On the source, rows count too: a program that loads rows may not update edit times.
 */
export function layersMark(
  layers: readonly SnapshotLayer[] | undefined,
  { counted }: { readonly counted: boolean },
): string | undefined {
  if (!layers?.length) return undefined;
  const facts = layers.map(({ layerId, name, count, lastEditDate, schema }) =>
    knownTime(lastEditDate) !== undefined && (!counted || count !== undefined) && schema !== undefined
      ? [layerId, name, counted ? count : null, lastEditDate, schema]
      : undefined,
  );
  return facts.includes(undefined) ? undefined : markOf(facts);
}

/**
 * A mark of all rows of a hosted service, by their last edits; undefined if a layer tells none. Two states of one portal
 * with the same mark have the same rows.
 */
export function rowsMark(
  layers: readonly Pick<SnapshotLayer, 'layerId' | 'lastEditDate'>[] | undefined,
): string | undefined {
  const edits = layers?.map(({ layerId, lastEditDate }) => [layerId, knownTime(lastEditDate)]);
  return !edits?.length || edits.some(([, at]) => at === undefined) ? undefined : markOf(edits);
}

/** Sharing level, folder and delete protection of an item in a listing; findings may depend on them. */
const standingMark = ({ access, ownerFolder, protected: isProtected }: Item): string =>
  markOf([access ?? null, ownerFolder ?? null, isProtected ?? null]);

/** Comparison settings: what must be equal, besides the item, for it to count as unchanged. */
export function settlingTerms({ options, target }: Route, from: PortalFacts, to: PortalFacts): string {
  const { overwrite, data, take } = options;
  const ends = [from, to].map(({ portalId, url, version }) => [portalId, url, version]);
  const into = [target.groupId, target.folderId ?? null, target.folderOwner ?? null];
  return markOf([overwrite, data, [...take].sort(), into, ends, to.username ?? null]);
}

/** Why an item is unchanged, for people. */
export const formatUnchangedSince = (runId: string): string => `unchanged since ${runId}`;

/** Layers of hosted services, by item id; undefined where they could not all be read. */
type LayersById = ReadonlyMap<string, readonly SnapshotLayer[] | undefined>;

/** The items of a run, their earlier results, and the target group's listing. */
interface Noted {
  readonly requested: readonly RequestedItem[];
  /** Earlier results of the route. */
  readonly known: Outcomes;
  readonly terms: string;
  readonly onTarget: ReadonlyMap<string, Item>;
}

/** The same with layers of hosted services on both sides; on the target those of `servicesToCompare`. */
export interface BothSides extends Noted {
  readonly sourceLayers: LayersById;
  readonly targetLayers: LayersById;
}

/** Hosted services of the target whose records show no change, so that only their layers can. */
export const servicesToCompare = ({ requested, known, terms, onTarget }: Noted): Item[] =>
  requested.flatMap(({ itemId }) => {
    const { settled } = known[itemId] ?? {};
    const held = onTarget.get(itemId);
    if (!held || settled?.terms !== terms || settled.target?.layers === undefined) return [];
    return recordMark(held) === settled.target.record ? held : [];
  });

/** Result of comparing both sides with earlier results, by item ID. */
export interface Untouched {
  readonly same: ReadonlyMap<string, SettledItem>;
  /** Changed only on the target: the run since which. */
  readonly drifted: ReadonlyMap<string, string>;
}

/** Fingerprint of an item on the source; undefined if that cannot show changes. */
export function sourceMark({ itemId, mark, hosted }: RequestedItem, layers: LayersById): string | undefined {
  if (mark === undefined || !hosted) return mark;
  const ofLayers = layersMark(layers.get(itemId), { counted: true });
  return ofLayers && markOf([mark, ofLayers]);
}

/**
 * The requested items unchanged on both sides since a run. What cannot be known counts as changed, as does an item
 * that must be imported together with a changed one.
 */
export function untouched(sides: BothSides): Untouched {
  const { requested, known, terms, onTarget, sourceLayers, targetLayers } = sides;
  const same = new Map<string, SettledItem>();
  const drifted = new Map<string, string>();
  for (const item of requested) {
    const { itemId, skip } = item;
    const { runId, settled } = known[itemId] ?? {};
    if (runId === undefined || skip !== undefined || settled?.terms !== terms) continue;
    if (settled.source !== sourceMark(item, sourceLayers)) continue;
    const held = onTarget.get(itemId);
    const { as, reason, target, findings } = settled;
    const hasFindings = findings !== undefined || undefined;
    if (isStill(settled, held, targetLayers))
      same.set(itemId, { runId, as, reason, onTarget: target?.record, hasFindings });
    else if (as === 'imported' && held) drifted.set(itemId, runId);
  }
  for (const itemId of goingAlong(sides, same)) same.delete(itemId);
  return { same, drifted };
}

function isStill({ as, target }: Settled, held: Item | undefined, layers: LayersById): boolean {
  // The portal skipped it in an export, so the target's item with its ID is unrelated.
  if (as === 'skipped') return held === undefined;
  if (!held || !target || recordMark(held) !== target.record) return false;
  if (target.stands !== undefined && target.stands !== standingMark(held)) return false;
  return target.layers === undefined || target.layers === layersMark(layers.get(held.id), { counted: false });
}

/**
 * Unchanged items that must be imported with changed ones. A renamed service must be in the package of items that refer to
 * it, because an import learns new addresses from the package.
 */
function goingAlong(
  { requested, known, onTarget }: BothSides,
  same: ReadonlyMap<string, SettledItem>,
): string[] {
  const stays = requested.filter(({ itemId }) => same.has(itemId));
  const goes = requested.filter(({ itemId, skip }) => skip === undefined && !same.has(itemId));
  const isMadeAnew = ({ itemId, hosted }: RequestedItem): boolean =>
    hosted === true && known[itemId]?.imported !== undefined && !onTarget.has(itemId);
  const refers = ({ type }: RequestedItem): boolean => holdsReferences(type);
  const along = goes.some(isMadeAnew) ? stays.filter(refers) : [];
  const isRenamed = ({ itemId, url, hosted }: RequestedItem): boolean =>
    hosted === true && serviceKey(url ?? '') !== serviceKey(onTarget.get(itemId)?.url ?? '');
  if (goes.some(({ itemId }) => !onTarget.has(itemId)))
    along.push(...stays.filter(({ itemId }) => same.get(itemId)?.hasFindings));
  if (along.length > 0 || goes.some(refers)) along.push(...stays.filter(isRenamed));
  return along.map(({ itemId }) => itemId);
}

interface RunEnd {
  readonly runId: string;
  readonly requested: readonly RequestedItem[];
  readonly ledger: Ledger;
  /** What the target group lists after the run. */
  readonly onTarget: ReadonlyMap<string, Item>;
  /** Ids of everything in the source group, requested or not. */
  readonly inSource: ReadonlySet<string>;
  /** By what the run settles its items. @default it settles none */
  readonly settling?: Settling;
  /** What packages of the run have shown of items' weights, by item id. @default nothing @format bytes */
  readonly weights?: ReadonlyMap<string, number>;
}

/** What was in force, and what both sides showed, each at the moment after which a change is not the run's own. */
interface Settling {
  readonly terms: string;
  /** Marks of the source before its export, by item id. */
  readonly source: Readonly<Record<string, string>>;
  /** Marks of imported items on the target after the import. */
  readonly seen: Readonly<Record<string, NonNullable<Settled['target']>>>;
  /** What was found wrong, by item id; undefined if there was too much to be kept: then nothing imported is settled. */
  readonly findings: ReadonlyMap<string, readonly Finding[]> | undefined;
}

/** The outcomes of a route after one more run. What it left as it was keeps its earlier one while its group holds it. */
export function outcomesAfter(before: Outcomes, end: RunEnd): Outcomes {
  const { runId, requested, ledger, onTarget, inSource } = end;
  const items = new Map(requested.map((item) => [item.itemId, item]));
  const after = new Map(Object.entries(before).filter(([itemId]) => inSource.has(itemId)));
  const put = (itemId: string, change: Partial<Outcome>, settled: Settled | undefined): void => {
    after.set(itemId, { ...after.get(itemId), runId, ...change, settled });
  };
  for (const { itemId, same } of requested) {
    const earlier = after.get(itemId);
    if (earlier?.settled && !same) after.set(itemId, { ...earlier, settled: undefined });
  }
  // What was left alone because it is identical counts as brought.
  const identical = ledger.same.filter(({ itemId }) => items.get(itemId)?.same === undefined);
  for (const { itemId } of [...ledger.imported, ...identical]) {
    const imported = { source: items.get(itemId)?.modified, target: onTarget.get(itemId)?.modified };
    put(itemId, { imported, skipped: undefined }, settledImport(itemId, end));
  }
  for (const entry of ledger.kept) {
    const settled = settledKept(entry, end);
    if (settled && !items.get(entry.itemId)?.same)
      after.set(entry.itemId, { runId, ...after.get(entry.itemId), settled });
  }
  for (const { itemId, type = '?', reason } of ledger.skipped) {
    const item = items.get(itemId);
    // What the table of types says is known without any run.
    if (!item || item.skip !== undefined || item.same) continue;
    const settled = onTarget.has(itemId)
      ? undefined
      : settledAs(itemId, end.settling, { as: 'skipped', reason });
    put(itemId, { imported: undefined, skipped: { type, reason } }, settled);
  }
  return withWeights(Object.fromEntries(after), runId, end.weights);
}

/** The outcomes of a route with what packages of a run have shown of items' weights, by their ids. */
const withWeights = (
  known: Outcomes,
  runId: string,
  weights: ReadonlyMap<string, number> = new Map(),
): Outcomes => ({
  ...known,
  ...Object.fromEntries([...weights].map(([id, bytes]) => [id, { runId, ...known[id], bytes }])),
});

function settledImport(itemId: string, { settling, onTarget }: RunEnd): Settled | undefined {
  const target = settling?.seen[itemId];
  if (!target || !settling.findings) return undefined;
  const findings = settling.findings.get(itemId);
  if (!findings) return settledAs(itemId, settling, { as: 'imported', target });
  const held = onTarget.get(itemId);
  const stands = held && standingMark(held);
  return settledAs(itemId, settling, {
    as: 'imported',
    target: { ...target, stands },
    findings: [...findings],
  });
}

function settledKept({ itemId, reason }: LedgerEntry, { settling, onTarget }: RunEnd): Settled | undefined {
  const held = onTarget.get(itemId);
  const record = held && recordMark(held);
  if (record === undefined) return undefined;
  return settledAs(itemId, settling, { as: 'kept', reason, target: { record } });
}

function settledAs(
  itemId: string,
  settling: Settling | undefined,
  settled: Omit<Settled, 'terms' | 'source'>,
): Settled | undefined {
  const source = settling?.source[itemId];
  if (!settling || source === undefined) return undefined;
  return { ...settled, terms: settling.terms, source };
}

/** The last outcomes of a route's items; `why`: the state file was altered and counts as missing. */
export async function readOutcomes(
  store: Store,
  route: Parameters<typeof keys.outcomes>[0],
): Promise<{ readonly known: Outcomes; readonly why?: string }> {
  const { value: known = {}, why } = await readUnaltered(store, keys.outcomes(route), outcomes);
  return { known, ...(why !== undefined && { why }) };
}

/** Keeps for the next runs of a route which rows its verified import has brought, by item id. */
export async function rememberRows(
  store: Store,
  { runId, route }: { readonly runId: string; readonly route: Parameters<typeof keys.outcomes>[0] },
  brought: ReadonlyMap<string, Outcome['rows']>,
): Promise<void> {
  if (brought.size === 0) return;
  const { known } = await readOutcomes(store, route);
  const noted = [...brought].map(([id, rows]) => [id, { runId, ...known[id], rows }]);
  await store.writeJson(keys.outcomes(route), { ...known, ...Object.fromEntries(noted) });
}

/** Keeps for the next runs of a route what items were seen to weigh, by their ids. @param weights in bytes */
export async function rememberWeights(
  store: Store,
  { runId, route }: { readonly runId: string; readonly route: Parameters<typeof keys.outcomes>[0] },
  weights: ReadonlyMap<string, number>,
): Promise<void> {
  const { known } = await readOutcomes(store, route);
  const isNews = [...weights].some(([itemId, bytes]) => known[itemId]?.bytes !== bytes);
  if (isNews) await store.writeJson(keys.outcomes(route), withWeights(known, runId, weights));
}

/** Marks all items of routes into a group as changed, before anything but a sync writes there. */
export async function unsettle(store: Store, groupId: string): Promise<void> {
  // Names alone: there may be thousands of routes.
  for (const key of outcomesInto(groupId, await store.names(keys.routes))) {
    const { value: known = {} } = await readUnaltered(store, key, outcomes);
    const open = Object.entries(known).map(([id, { settled: _, ...rest }]) => [id, rest]);
    if (open.length > 0) await store.writeJson(key, Object.fromEntries(open));
  }
}
