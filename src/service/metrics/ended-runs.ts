import { mapLimited } from '../../model/map-limited';
import { isOpenStatus, runStatuses, type RunStatus } from '../../model/run/phase';
import { searchAttributeNames } from '../../model/run/run-id';
import { endedAs } from '../run/lookup/ended-as';
import { countEnded } from '../run/lookup/indexed-runs';
import type { ReadContext } from '../run/run-sources';

/** Number of ended runs of one kind and outcome. */
export interface EndedRuns {
  /** `other` of a kind that is none of these. */
  readonly kind: string;
  readonly outcome: RunStatus;
  readonly runs: number;
}

/** Period over which ended runs are counted. @format milliseconds */
const LATELY_MS = 24 * 3_600_000;

/** Kinds that are counted separately; see `RunKind`. */
const kinds = [
  ...['sync', 'backup', 'restore', 'rollback', 'drill', 'bisect'],
  ...['release', 'promotion', 'promote', 'protect', 'settings', 'category-schema', 'task-run'],
];

/** Concurrent count requests. */
const COUNTS_AT_A_TIME = 8;

/**
 * Ended runs of the queue, by outcome and kind. Temporal's index counts them, so the cost does not depend on their
 * number. An outcome without runs has one entry.
 */
export async function readEndedRuns({ config, temporal }: Required<ReadContext>): Promise<EndedRuns[]> {
  const lately = `CloseTime > '${new Date(Date.now() - LATELY_MS).toISOString()}'`;
  const count = (...conditions: string[]): Promise<number> =>
    countEnded(temporal, config.temporal.taskQueue, [lately, ...conditions]);
  const outcomes = runStatuses.filter((status) => !isOpenStatus(status));
  const each = await mapLimited(outcomes, COUNTS_AT_A_TIME, async (outcome): Promise<EndedRuns[]> => {
    const ended = endedAs(outcome);
    const all = await count(ended);
    if (all === 0) return [{ kind: 'sync', outcome, runs: 0 }];
    const byKind = await mapLimited(kinds, COUNTS_AT_A_TIME, async (kind) => ({
      kind,
      outcome,
      runs: await count(ended, `${searchAttributeNames.kind} = '${kind}'`),
    }));
    const other = all - byKind.reduce((sum, { runs }) => sum + runs, 0);
    return [...byKind, { kind: 'other', outcome, runs: other }].filter(({ runs }) => runs > 0);
  });
  return each.flat();
}
