import { PortolanError } from '../../model/errors/errors';
import type { Ledger, LedgerEntry } from '../../model/transfer/ledger';
import { type Outcome, type Outcomes, outcomes, type Settled } from '../../model/transfer/outcomes';
import type { RequestedItem } from '../../model/transfer/requested';
import type { Finding } from '../../model/transfer/verification';
import type { Item } from '../../portal/resources/items/item';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys, outcomesInto } from '../../store/keys';
import type { Store } from '../../store/store';
import { recordMark, standingMark } from './unchanged-items';

export interface RunEnd {
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
export interface Settling {
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
  for (const { itemId } of ledger.imported) {
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

/** What is noted of a route's items; `why` where what lies there is not what Portolan wrote, and so counts for nothing. */
export async function readOutcomes(
  store: Store,
  route: Parameters<typeof keys.outcomes>[0],
): Promise<{ readonly known: Outcomes; readonly why?: string }> {
  try {
    return { known: (await store.readJson(keys.outcomes(route), outcomes)) ?? {} };
  } catch (thrown) {
    if (!isAltered(thrown)) throw thrown;
    return { known: {}, why: PortolanError.from(thrown).plainMessage };
  }
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

/** Something else than a sync is about to write into a group: of no route that goes there is anything settled any more. */
export async function unsettle(store: Store, groupId: string): Promise<void> {
  // Names alone: there may be thousands of routes.
  for (const key of outcomesInto(groupId, await store.names(keys.routes))) {
    // What is not what Portolan wrote counts for nothing anyway.
    const known = await store.readJson(key, outcomes).catch((thrown: unknown) => {
      if (isAltered(thrown)) return undefined;
      throw thrown;
    });
    const open = Object.entries(known ?? {}).map(([id, { settled: _, ...rest }]) => [id, rest]);
    if (open.length > 0) await store.writeJson(key, Object.fromEntries(open));
  }
}
