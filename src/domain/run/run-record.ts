import type { RunRecord } from '../../model/run/run';
import { INLINE_LIST_MAX, type RunState } from '../../model/run/run-state';
import { shortened } from '../../model/text/plain-text';
import { ledger } from '../../model/transfer/ledger';
import { ledgerLists } from '../../model/transfer/plan-words';
import { verification } from '../../model/transfer/verification';
import type { Store } from '../../store/store';
import { emptyVerification, keptLists, lengthOf } from '../transfer/verify/verification';

/**
 * The record of a run with its short lists in it; longer ones stay in the store, as a count and a key. Whatever portals
 * have put into it, it is a file that can be opened.
 */
export async function fillRecord(store: Store, state: RunState): Promise<RunRecord> {
  const { items, verification: verified, ...rest } = state;
  return withinBounds({
    ...rest,
    items: items && (await itemsOf(store, items.ref)),
    verification: verified && {
      checked: verified.checked,
      references: verified.references,
      features: verified.features,
      ...(await findingsOf(store, verified.ref)),
    },
  });
}

type ListOrRef<T> = T[] | { count: number; ref: string };

const listOrRef = <T>(list: T[], count: number, ref: string): ListOrRef<T> =>
  count > INLINE_LIST_MAX ? { count, ref } : list;

async function itemsOf(store: Store, ref: string): Promise<NonNullable<RunRecord['items']>> {
  const whole = await store.readJson(ref, ledger);
  const entries = ledgerLists.map((name) => {
    const list = whole?.[name] ?? [];
    return [name, listOrRef(list, list.length, ref)];
  });
  return Object.fromEntries(entries) as NonNullable<RunRecord['items']>;
}

async function findingsOf(store: Store, ref: string) {
  const whole = (await store.readJson(ref, verification)) ?? emptyVerification();
  const entries = keptLists.map((name) => [
    name,
    listOrRef<unknown>(whole[name], lengthOf(whole, name), ref),
  ]);
  return Object.fromEntries(entries) as Pick<
    NonNullable<RunRecord['verification']>,
    (typeof keptLists)[number]
  >;
}

/** A record that is larger is cut. @format bytes of JSON */
export const RECORD_MAX = 4_000_000;
/** How many entries are left of its lists then; of its texts what is kept of others'. */
const LIST_MAX = INLINE_LIST_MAX;

/** The record as it is; where it is too large, with the ends of its texts and lists left out. */
function withinBounds(record: RunRecord): RunRecord {
  return Buffer.byteLength(JSON.stringify(record)) > RECORD_MAX ? (cut(record) as RunRecord) : record;
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value);
  if (Array.isArray(value)) return value.slice(0, LIST_MAX).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, cut(child)]));
}
