import type { RunRecord } from '../../model/run/run';
import { ledgerLists } from '../../model/transfer/ledger-lists';
import { lengthOf } from '../run/run-view';

/** A run in numbers. */
export interface RunFigures {
  /** From start to end, including waiting. */
  readonly seconds?: number;
  /** Completed phases, each once. */
  readonly phases: readonly { readonly phase: string; readonly seconds: number }[];
  /** Items by result; `saved` for a backup or drill. */
  readonly items: readonly { readonly list: string; readonly items: number }[];
  /** Size of the package or snapshot; absent if nothing was transferred. */
  readonly bytes?: number;
}

export function figuresOf(record: RunRecord): RunFigures {
  const { startedAt, finishedAt, phases, items, snapshot, kind } = record;
  const saves = kind !== 'sync';
  const saved = saves ? snapshot?.items : undefined;
  return {
    seconds: secondsBetween(startedAt, finishedAt),
    phases: phases.flatMap(({ name: phase, status, ...times }) => {
      const seconds = secondsBetween(times.startedAt, times.finishedAt);
      return status === 'done' && seconds !== undefined ? [{ phase, seconds }] : [];
    }),
    items: [
      ...(items ? ledgerLists.map((list) => ({ list, items: lengthOf(items[list]) })) : []),
      ...(saved === undefined ? [] : [{ list: 'saved', items: saved }]),
    ],
    bytes: record.package?.sizeBytes ?? (saves ? snapshot?.sizeBytes : undefined),
  };
}

function secondsBetween(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  return Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000;
}
