import { isHostedService } from '../../../domain/transfer/classify-item';
import { lastEditOf } from '../../../domain/transfer/layers';
import type { RunOnTarget } from '../../../domain/transfer/portal-facts';
import { forEachList } from '../../../model/transfer/ledger-lists';
import { type JobLists, united } from '../../../model/transfer/job';
import type { LastRun } from '../../../model/transfer/requested';
import { ledger as ledgerSchema, type Ledger, type LedgerCounts } from '../../../model/transfer/ledger';
import { type BisectedPart, ledgerOf, unitedLedger } from '../../../domain/transfer/item-results';
import type { RouteOptions } from '../../../model/transfer/route';
import { importAccounts } from '../../../domain/transfer/created-items';
import { type CreatedItems, createdItems, isIdentical, type Plan } from '../../../model/transfer/plan';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';
import type { ActivityDeps } from '../../deps';
import { listGroup } from '../../../portal/resources/groups';
import type { Item } from '../../../portal/resources/items/item';
import { absentBefore } from '../imports';
import { saveOutcomes, recordImportedState } from '../skip-unchanged';
import {
  chosenItems,
  listsOfJobs,
  readIds,
  readLastRun,
  readMoved,
  readPlanFile,
  readRequested,
} from './stored-lists';
import { timestamp } from '../../attempt/heartbeat';

interface CloseLedger extends RunOnTarget {
  readonly planRef?: string;
  /** The source reported that there is nothing to export. */
  readonly nothingExported: boolean;
  /** For how many packages, the first ones, an import was sent. */
  readonly posted: number;
  /** Portal message, if its job failed as a whole. */
  readonly importFailure?: string;
}

/** A run that has ended its work on the target. */
interface EndedRun extends RunOnTarget {
  /** Nothing has changed since earlier runs, so only the group's size needs saving. @default false */
  readonly isUntouched?: boolean;
}

interface UniteLedgers {
  /** The bisect. */
  readonly runId: string;
  /** The failed run, whose results hold the items' titles. */
  readonly parent: string;
  readonly chosen: Pick<RouteOptions, 'items' | 'itemList'>;
  /** In order; `failing` is the portal message if a single-item run failed its import. */
  readonly children: readonly { readonly runId: string; readonly failing?: string }[];
}

/** Records a result for every requested item, from both jobs' lists, the plan, and the target if a list is lost. */
export async function closeLedger(deps: ActivityDeps, input: CloseLedger): Promise<LedgerCounts> {
  const { store } = deps;
  const { runId } = input;
  const plan = input.planRef ? await readPlanFile(store, input.planRef) : undefined;
  const requested = await readRequested(store, runId);
  const imported = await listsOfJobs(store, runId, 'import', requested);
  const isLost = imported.slice(0, input.posted).includes(undefined);
  const ledger = ledgerOf({
    requested,
    exported: united(await listsOfJobs(store, runId, 'export', requested)),
    nothingExported: input.nothingExported,
    plan: plan?.rows,
    imported,
    posted: input.posted,
    putBack: await readIds(store, keys.putBack(runId)),
    movedBefore: new Set(Object.keys(await readMoved(store, runId))),
    importFailure: input.importFailure,
    onTarget: isLost ? modifiedIn(await listTarget(deps, input)) : undefined,
  });
  if (plan) await noteImported(deps, input, plan, ledger, imported);
  return await keepLedger(store, runId, ledger);
}

/** Merges the results of a bisect's child runs into one list. */
export async function uniteLedgers(
  { store }: ActivityDeps,
  { runId, parent, chosen, children }: UniteLedgers,
): Promise<LedgerCounts> {
  const known = await store.readJson(keys.ledger(parent), ledgerSchema);
  const parts: BisectedPart[] = [];
  for (const child of children) {
    const lists = await store.readJson(keys.ledger(child.runId), ledgerSchema);
    if (lists) parts.push({ lists, failing: child.failing });
  }
  return await keepLedger(store, runId, unitedLedger((await chosenItems(store, chosen)) ?? [], known, parts));
}

/** Saves the target's state and the items' results for the route's next run. */
export async function noteLastRun(
  deps: ActivityDeps,
  input: EndedRun & { requested: number },
): Promise<void> {
  const { store } = deps;
  const { runId, route, requested } = input;
  if (input.isUntouched) {
    const { value: last } = await readLastRun(store, route);
    if (last && last.requested !== requested)
      await store.writeJson(keys.lastRun(route), { ...last, requested } satisfies LastRun);
    return;
  }
  const onTarget = await listTarget(deps, input);
  await saveOutcomes(store, input, onTarget);
  const modified = Object.fromEntries(
    [...onTarget].flatMap(([id, item]) => (item.modified === undefined ? [] : [[id, item.modified]])),
  );
  const endedAt = timestamp();
  const isWhole = !(await readRequested(store, runId)).some(({ same }) => same);
  const whole = isWhole ? { runId, at: endedAt } : (await readLastRun(store, route)).value?.whole;
  const note: LastRun = { runId, endedAt, requested, whole, modified };
  await store.writeJson(keys.lastRun(input.route), note);
}

/** Saves the items' results of a run that did not cover its whole group. */
export async function noteOutcomes(deps: ActivityDeps, input: EndedRun): Promise<void> {
  if (!input.isUntouched) await saveOutcomes(deps.store, input, await listTarget(deps, input));
}

/** Saves the state of imported and identical items: later runs skip unchanged ones, and a rollback deletes no others. */
async function noteImported(
  deps: ActivityDeps,
  input: CloseLedger,
  plan: Plan,
  ledger: Ledger,
  lists: readonly (JobLists | undefined)[],
): Promise<void> {
  const { store } = deps;
  const made = new Set(plan.rows.flatMap(({ action, itemId }) => (action === 'create' ? itemId : [])));
  const imported = ledger.imported.map(({ itemId }) => itemId);
  const identical = plan.rows.flatMap((row) => (isIdentical(row) ? row.itemId : []));
  const brought = [...imported, ...identical];
  if (brought.length === 0) return;
  const seen = await recordImportedState(deps, input, brought);
  const itemIds = imported.filter((itemId) => made.has(itemId));
  if (itemIds.length === 0) return;
  // Items created by an earlier import of the run still count as its own.
  const before = await store.readJson(keys.created(input.runId), createdItems);
  const items: CreatedItems['items'] = { ...before?.items };
  const absent = await absentBefore(store, input.runId);
  const listed = new Set(united(lists)?.done.map(({ itemId }) => itemId));
  for (const itemId of itemIds) {
    const { item, layers } = seen.get(itemId) ?? {};
    items[itemId] = {
      wasAbsent: absent.has(itemId),
      isListed: listed.has(itemId),
      owner: item?.owner ?? null,
      modified: item?.modified ?? null,
      edited: item && isHostedService(item) ? lastEditOf(layers) : undefined,
    };
  }
  const created: CreatedItems = {
    accounts: importAccounts(input.target, input.route),
    since: before ? before.since : (plan.packageAdded ?? null),
    items,
  };
  await store.writeJson(keys.created(input.runId), created);
}

async function keepLedger(store: Store, runId: string, ledger: Ledger): Promise<LedgerCounts> {
  const ref = keys.ledger(runId);
  await store.writeJson(ref, ledger);
  const counts = forEachList((list) => ledger[list].length);
  return { ...counts, requested: Object.values(counts).reduce((sum, count) => sum + count, 0), ref };
}

async function listTarget(
  { portals }: ActivityDeps,
  { route, target }: Pick<RunOnTarget, 'route' | 'target'>,
): Promise<ReadonlyMap<string, Item>> {
  return await listGroup(portals.open(target.name), route.target.groupId);
}

const modifiedIn = (items: ReadonlyMap<string, Item>) =>
  new Map([...items].map(([id, { modified }]) => [id, modified]));
