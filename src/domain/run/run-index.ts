import type { RunRecord } from '../../model/run/run';
import { indexedEnd, timeOfRunId } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** Content of an index entry: only its name is read, and the record it names is verified. */
const NOTHING = {};

/**
 * Notes a run by its day and by the end of its ID, so that the newest runs, and one by the end of its ID, are found
 * without listing all that the store has. To be written before its record: then no record lacks it. A repeat is no error.
 */
export async function indexRun(
  store: Store,
  { runId, startedAt }: Pick<RunRecord, 'runId' | 'startedAt'>,
): Promise<void> {
  const end = indexedEnd(runId);
  if (end !== undefined) await store.writeJson(keys.runOfEnd(end, runId), NOTHING);
  const day = dayOf(timeOfRunId(runId) ?? Date.parse(startedAt));
  if (day !== undefined) await store.writeJson(keys.runOfDay(day, runId), NOTHING);
}

/** The day of a time, in UTC; undefined where that is no time. */
export const dayOf = (at: number): string | undefined =>
  Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
