import { fillRecord } from '../../domain/run/run-record';
import { ledger, type LedgerList, ledgerLists } from '../../model/transfer/ledger';
import { phasesOf } from '../../model/run/phase';
import type { RunKind, RunRecord } from '../../model/run/run';
import type { RunState } from '../../model/run/run-state';
import { type StartMemo } from '../../model/run/start-memo';
import type { Store } from '../../store/store';

/**
 * The record that belongs to a state. Where its lists lie in a store that cannot be seen from here, they are
 * counts and keys.
 */
export async function recordOf(state: RunState, store: Store): Promise<RunRecord> {
  const readable =
    state.items === undefined ||
    (await store.readJson(state.items.ref, ledger).catch(() => undefined)) !== undefined;
  if (readable) return fillRecord(store, state);
  const { items, verification, ...rest } = state;
  return {
    ...rest,
    items: items && countsOf(items),
    verification: verification && {
      checked: verification.checked,
      references: verification.references,
      features: verification.features,
      notChecked: { count: verification.notChecked, ref: verification.ref },
      external: { count: verification.external, ref: verification.ref },
      findings: { count: verification.findings, ref: verification.ref },
    },
  };
}

function countsOf(items: NonNullable<RunState['items']>): NonNullable<RunRecord['items']> {
  const listOf = (list: LedgerList) => ({ count: items[list], ref: items.ref });
  const [imported, kept, blocked, skipped, failed, unaccounted] = ledgerLists.map(listOf);
  const none = { count: 0, ref: items.ref };
  return {
    imported: imported ?? none,
    kept: kept ?? none,
    blocked: blocked ?? none,
    skipped: skipped ?? none,
    failed: failed ?? none,
    unaccounted: unaccounted ?? none,
  };
}

/** What is known of a run that no worker has looked at yet. */
export function firstRecord(
  memo: StartMemo,
  run: {
    workflowId: string;
    runId: string;
    kind: RunKind;
    startedAt: Date;
    status: RunRecord['status'];
  },
): RunRecord {
  return {
    runId: run.workflowId,
    kind: run.kind,
    status: run.status,
    target: run.status === 'running' ? 'untouched' : 'unknown',
    route: memo.route,
    temporal: { workflowId: run.workflowId, runId: run.runId },
    startedAt: run.startedAt.toISOString(),
    startedBy: memo.startedBy,
    scheduledBy: memo.scheduledBy,
    phases: phasesOf[run.kind].map((name) => ({ name, status: 'pending', attempts: 0 })),
    actions: [],
    warnings: [],
    leftRunning: [],
  };
}
