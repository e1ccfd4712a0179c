import { newRunId } from '../../model/run/new-run-id';
import { ledger, type LedgerEntry, type LedgerList } from '../../model/transfer/ledger';
import { PortolanError } from '../../model/errors/errors';
import type { RouteOptions } from '../../model/transfer/route';
import type { RunKind, RunRecord } from '../../model/run/run';
import { INLINE_LIST_MAX } from '../../model/run/run-state';
import { shortRunId } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** Items of a run that ought to be on the target, and of which it is not known that they are. */
export async function itemsToRetry(store: Store, { runId, items }: RunRecord): Promise<LedgerEntry[]> {
  if (!items) {
    throw new PortolanError('USAGE', `${runId} ended before it knew its items, so there are none to retry.`, {
      hint: `Begin it again: portolan run restart ${shortRunId(runId)} --from guard`,
    });
  }
  const lists = await Promise.all((['failed', 'unaccounted'] as const).map(entriesOf));
  return lists.flat();

  async function entriesOf(name: LedgerList): Promise<LedgerEntry[]> {
    const list = items?.[name] ?? [];
    if (!('count' in list)) return list;
    if (list.count === 0) return [];
    const whole = await store.readJson(list.ref, ledger);
    if (whole) return whole[name];
    throw new PortolanError('STORE_BROKEN', `the ledger of ${runId} is not in the store at ${store.where}`);
  }
}

/** A new run's id, and its options for these items only; a list that is too long to travel lies in the store. */
export async function limitedTo(
  store: Store,
  kind: RunKind,
  route: { readonly name: string; readonly options: RouteOptions },
  itemIds: readonly string[],
): Promise<{ runId: string; options: RouteOptions }> {
  const runId = newRunId(kind, route.name);
  if (itemIds.length <= INLINE_LIST_MAX) {
    return { runId, options: { ...route.options, items: itemIds, itemList: undefined } };
  }
  const key = keys.itemList(runId);
  await store.writeJson(key, itemIds);
  const itemList = { key, from: 0, count: itemIds.length };
  return { runId, options: { ...route.options, items: undefined, itemList } };
}
