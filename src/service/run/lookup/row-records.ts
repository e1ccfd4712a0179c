import type { RunRow } from '../../../contract/run-row';
import { mapLimited } from '../../../model/map-limited';
import { type RunRecord, runRecord } from '../../../model/run/run';
import { keys } from '../../../store/keys';
import { readNote, type ReadContext } from '../run-sources';
import { STORE_READS_AT_A_TIME } from '../../../store/store';

/** A run in one line, with its record if the store is readable here. */
export interface RowWithRecord {
  readonly row: RunRow;
  readonly record?: RunRecord;
  /** The last successful run of the same route and kind. */
  readonly last?: LastTime;
}

/** From start to end, with what was waited for. */
export interface LastTime {
  /** @format milliseconds */
  readonly tookMs: number;
  /** ISO 8601, in UTC. */
  readonly finishedAt: string;
}

/** The rows with their stored records, in the same order. */
export const withRecords = (
  { store }: Pick<ReadContext, 'store'>,
  rows: readonly RunRow[],
): Promise<RowWithRecord[]> =>
  mapLimited(rows, STORE_READS_AT_A_TIME, async (row) => ({
    row,
    record: (await readNote(store, keys.record(row.runId), runRecord)).value,
  }));
