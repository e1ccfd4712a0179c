import { forEachList } from '../../model/transfer/ledger-lists';
import type { RunRecord } from '../../model/run/run';
import { INLINE_LIST_MAX, type RunState } from '../../model/run/run-state';
import { MAX_TEXT_LENGTH, shortenTexts } from '../../model/text/plain-text';
import { ledger } from '../../model/transfer/ledger';
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
  return forEachList((name) => {
    const list = whole?.[name] ?? [];
    return listOrRef(list, list.length, ref);
  });
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

/** The record as it is; where it is too large, with the ends of its texts and lists left out. */
function withinBounds(record: RunRecord): RunRecord {
  return Buffer.byteLength(JSON.stringify(record)) > RECORD_MAX
    ? (shortenTexts(record, MAX_TEXT_LENGTH, INLINE_LIST_MAX) as RunRecord)
    : record;
}
