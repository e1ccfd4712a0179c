import { z, type ZodType } from 'zod';
import { basis } from '../../../domain/snapshot/basis';
import { mayGo } from '../../../domain/transfer/packing';
import { notAuthentic } from '../../../domain/control/control';
import { readUnaltered } from '../../../store/authentic/authentic-store';
import { keys, pageName } from '../../../store/keys';
import type { Store } from '../../../store/store';
import {
  lastRun,
  partsOf,
  requestedItem,
  type Requested,
  type RequestedItem,
} from '../../../model/transfer/requested';
import { plan, type Plan, type PlanRow } from '../../../model/transfer/plan';
import { type Ledger, ledger } from '../../../model/transfer/ledger';
import type { SnapshotRow } from '../../../model/snapshot/snapshot';
import type { ActivityDeps } from '../../deps';
import { PortolanError } from '../../../model/errors/errors';
import { type JobLists, jobLists } from '../../../model/transfer/job';
import type { RouteOptions } from '../../../model/transfer/route';

/** Stores a page of a long list under its starting index, so that a repeat overwrites and never appends. */
export async function writePage(
  store: Store,
  folder: string,
  start: number,
  rows: readonly unknown[],
): Promise<void> {
  await store.writeJson(`${folder}${pageName(start)}`, rows);
}

export async function readPages<T>(store: Store, folder: string, row: ZodType<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const key of store.list(folder)) all.push(...((await store.readJson(key, z.array(row))) ?? []));
  return all;
}

/** The requested items of a run. */
export const readRequested = (store: Store, runId: string): Promise<RequestedItem[]> =>
  readPages(store, keys.requested(runId), requestedItem);

/** What an export takes: a backup leaves out what it reuses from an earlier one. */
export async function readGoing(
  store: Store,
  runId: string,
  requested: readonly RequestedItem[],
): Promise<RequestedItem[]> {
  const reused = await store.readJson(keys.basis(runId), basis);
  const stays = new Set(reused?.rows.map(({ itemId }) => itemId));
  return mayGo(requested).filter(({ itemId }) => !stays.has(itemId));
}

/** The result lists of a run's jobs, one per package; undefined if a portal sent none. */
export async function listsOfJobs(
  store: Store,
  runId: string,
  name: 'export' | 'import',
  requested: readonly RequestedItem[],
): Promise<(JobLists | undefined)[]> {
  const read = (packageIndex: number) => store.readJson(keys.jobLists(runId, name, packageIndex), jobLists);
  return await Promise.all(
    Array.from({ length: partsOf(requested) }, (_, packageIndex) => read(packageIndex)),
  );
}

/** A plan the run has stored; if it is missing, someone has emptied the store. */
export async function readPlanFile(store: Store, ref: string): Promise<Plan> {
  const found = await store.readJson(ref, plan);
  if (!found)
    throw new PortolanError('STORE_BROKEN', `the plan ${ref} is missing from the store at ${store.where}`);
  return found;
}

/** How the route's last run left its target. */
export const readLastRun = (store: Store, route: Parameters<typeof keys.lastRun>[0]) =>
  readUnaltered(store, keys.lastRun(route), lastRun);

/** A plan the run has stored. Throws NOT_AUTHENTIC if it is another run's. */
export async function readOwnPlan(store: Store, runId: string, ref: string): Promise<Plan> {
  const reading = keys.readingOfPlan(ref);
  if (reading === undefined || ref !== keys.plan(runId, Number(reading)))
    throw notAuthentic(`${ref} is not a plan of ${runId}`);
  return await readPlanFile(store, ref);
}

/** A stored set of IDs; empty if there is none. */
export const readIds = async (store: Store, key: string): Promise<Set<string>> =>
  new Set(await store.readJson(key, z.array(z.string())));

const movedItems = z.record(z.string(), z.number().nullable());

/**
 * Items that earlier imports of the run changed, with `modified` as seen right afterwards; null if unknown. Whatever has
 * another one now was edited by somebody since.
 */
export const readMoved = async (store: Store, runId: string): Promise<z.infer<typeof movedItems>> =>
  (await store.readJson(keys.movedBefore(runId), movedItems)) ?? {};

/** Whether an item of a plan is still as an earlier import of the run left it. */
export const isAsMoved = (moved: z.infer<typeof movedItems>, { itemId, target }: PlanRow): boolean =>
  moved[itemId] !== undefined && moved[itemId] === (target?.modified ?? null);

/** Adds to a stored set of IDs. */
export async function addIds(store: Store, key: string, ids: readonly string[]): Promise<void> {
  await store.writeJson(key, [...new Set([...(await readIds(store, key)), ...ids])]);
}

/** The rows that an import of this plan writes. */
export const importedRows = ({ rows }: Plan): PlanRow[] =>
  rows.filter(({ action }) => action === 'create' || action === 'overwrite');

/** What a run has imported, by its results; nothing if it has none. */
export const readImported = async (store: Store, runId: string): Promise<Ledger['imported']> =>
  (await store.readJson(keys.ledger(runId), ledger))?.imported ?? [];

/** Rows of the requested items per object. */
const ROWS_AN_OBJECT = 500;

/** The items a run is limited to, from options or store. Throws STORE_BROKEN if the list is missing from the store. */
export async function chosenItems(
  store: Store,
  { items, itemList }: Pick<RouteOptions, 'items' | 'itemList'>,
): Promise<readonly string[] | undefined> {
  if (!itemList) return items;
  const { key, from, count } = itemList;
  const list = await store.readJson(key, z.array(z.string()));
  if (list && list.length >= from + count) return list.slice(from, from + count);
  throw new PortolanError(
    'STORE_BROKEN',
    `the list of items ${key} is missing from the store at ${store.where}`,
  );
}

/** The items of a snapshot that are copies, as far as the run is limited to them. */
export async function chosenCopies(
  { snapshots, store }: Pick<ActivityDeps, 'snapshots' | 'store'>,
  snapshotId: string,
  options: RouteOptions,
): Promise<SnapshotRow[]> {
  const items = await chosenItems(store, options);
  const chosen = items && new Set(items);
  const rows = await snapshots.rowsOf(await snapshots.read(snapshotId));
  return rows.filter(({ saved, itemId }) => saved === 'copy' && (chosen?.has(itemId) ?? true));
}

/** Stores the requested items of a run; a repeat overwrites. */
export async function writeRequested(
  store: Store,
  runId: string,
  requested: readonly RequestedItem[],
): Promise<void> {
  await store.remove(keys.requested(runId));
  await rewriteRequested(store, runId, requested);
}

/** Adds details to the stored items, page by page, so that a killed worker loses none. */
export async function rewriteRequested(
  store: Store,
  runId: string,
  requested: readonly RequestedItem[],
): Promise<void> {
  const folder = keys.requested(runId);
  for (let start = 0; start < requested.length; start += ROWS_AN_OBJECT) {
    await writePage(store, folder, start + 1, requested.slice(start, start + ROWS_AN_OBJECT));
  }
}

export const figuresOf = (
  requested: readonly RequestedItem[],
  inGroup: number,
): Omit<Requested, 'knownBytes'> => ({
  count: requested.length,
  skipped: requested.filter((item) => item.skip !== undefined).length,
  hosted: requested.filter((item) => item.hosted && !item.same).length,
  same: requested.filter((item) => item.same).length,
  withFindings: requested.filter((item) => item.same?.hasFindings).length || undefined,
  inGroup,
});
