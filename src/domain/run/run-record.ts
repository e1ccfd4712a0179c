import type { ZodType } from 'zod';
import type { RunRecord } from '../../model/run/run';
import { INLINE_LIST_MAX, type RunState } from '../../model/run/run-state';
import { ledger } from '../../model/transfer/ledger';
import { verification } from '../../model/transfer/verification';
import type { Store } from '../../store/store';

/** The record of a run with its short lists in it; longer ones stay in the store, as a count and a key. */
export async function fillRecord(store: Store, state: RunState): Promise<RunRecord> {
  const { items, verification: verified, ...rest } = state;
  return {
    ...rest,
    items:
      items &&
      (await lists(store, items.ref, ledger, [
        'imported',
        'kept',
        'blocked',
        'skipped',
        'failed',
        'unaccounted',
      ])),
    verification: verified && {
      checked: verified.checked,
      references: verified.references,
      features: verified.features,
      ...(await lists(store, verified.ref, verification, ['notChecked', 'external', 'findings'])),
    },
  };
}

type ListOrRef<T> = T[] | { count: number; ref: string };

async function lists<T extends Record<K, unknown[]>, K extends string>(
  store: Store,
  ref: string,
  schema: ZodType<T>,
  names: readonly K[],
): Promise<{ [P in K]: ListOrRef<T[P][number]> }> {
  const whole = await store.readJson(ref, schema);
  const entries = names.map((name): [K, ListOrRef<unknown>] => {
    const list = whole?.[name] ?? [];
    return [name, list.length > INLINE_LIST_MAX ? { count: list.length, ref } : list];
  });
  return Object.fromEntries(entries) as { [P in K]: ListOrRef<T[P][number]> };
}
