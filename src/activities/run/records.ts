import type { ZodType } from 'zod';
import type { ChangeRecord } from '../../model/portal-change/change';
import { ledger } from '../../model/transfer/ledger';
import type { RunRecord } from '../../model/run/run';
import { INLINE_LIST_MAX, type RunState } from '../../model/run/run-state';
import { verification } from '../../model/transfer/verification';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import type { ActivityDeps } from '../deps';

export function createRecordActivities({ store }: ActivityDeps) {
  return {
    /** Writes the run's record to the store, where it outlives Temporal's retention. A repeat overwrites. */
    async saveRecord(state: RunState): Promise<void> {
      await store.writeJson(keys.record(state.runId), await fillRecord(store, state));
    },

    /** The same for a change of a portal. */
    async saveChange(state: ChangeRecord): Promise<void> {
      await store.writeJson(keys.record(state.runId), state);
    },
  };
}

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
