import { z } from 'zod';
import { mapLimited } from '../../model/map-limited';
import type { RunRecord } from '../../model/run/run';
import { indexedEnd, isRunId, timeOfRunId } from '../../model/run/run-id';
import { isFaultOfFile, readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { type Store, STORE_READS_AT_A_TIME } from '../../store/store';

/** Content of an index entry: only its name is read, and the record it names is verified. */
const NOTHING = {};
/**
 * Of runs whose day only their record tells, and that cannot be read: whoever reads to the end is told why. As the first
 * day of all it keeps pages of others as they are, also where the record can be read again and is much younger.
 */
const UNREAD_DAY = '1970-01-01';

const sketch = z.object({ startedAt: z.string() });

/**
 * Notes a run by its day and by the end of its id, so that the newest ones, and one by the end of its id, are found
 * without a look at all that the store has of others. To be written before its record. A repeat is no error.
 */
export async function indexRun(
  store: Store,
  { runId, startedAt }: Pick<RunRecord, 'runId' | 'startedAt'>,
): Promise<void> {
  const end = indexedEnd(runId);
  if (end !== undefined) await store.writeJson(keys.runOfEnd(end, runId), NOTHING);
  // The last one: by it a run is known to have been noted.
  const day = dayOf(timeOfRunId(runId) ?? Date.parse(startedAt));
  if (day !== undefined) await store.writeJson(keys.runOfDay(day, runId), NOTHING);
}

/**
 * Notes each run that the index lacks, and then that it is whole. Throws
 * what keeps records from being read; a single one that is not as it should be keeps nothing.
 * @param isGivenUp is asked at each run; what is missing then is noted the next time
 */
export async function completeRunIndex(store: Store, isGivenUp: () => boolean = () => false): Promise<void> {
  const known = new Set<string>();
  const unread = new Set<string>();
  for await (const key of store.list(keys.runDays)) {
    if (isGivenUp()) return;
    (key.startsWith(keys.runsOfDay(UNREAD_DAY)) ? unread : known).add(keys.runOfIndexed(key) ?? '');
  }
  const missing = (await store.names(keys.runs)).filter(
    (runId) => isRunId(runId) && (unread.has(runId) || !known.has(runId)),
  );
  await mapLimited(missing, STORE_READS_AT_A_TIME, async (runId) => {
    if (isGivenUp()) return;
    const startedAt = await recordedStart(store, runId);
    await indexRun(store, { runId, startedAt });
    if (unread.has(runId) && dayOf(Date.parse(startedAt)) !== UNREAD_DAY)
      await store.remove(keys.runOfDay(UNREAD_DAY, runId));
  });
  if (!isGivenUp() && !(await isRunIndexWhole(store))) await store.writeJson(keys.wholeRunIndex, NOTHING);
}

/** When a run was started where its id does not tell; empty where it does, or where there is no record. */
async function recordedStart(store: Store, runId: string): Promise<string> {
  if (timeOfRunId(runId) !== undefined) return '';
  try {
    // Of one that is about to begin there is no record yet; whoever writes that will note it.
    return (await store.readJson(keys.record(runId), sketch))?.startedAt ?? '';
  } catch (thrown) {
    if (!isFaultOfFile(thrown)) throw thrown;
    return UNREAD_DAY;
  }
}

/** Whether every run with a record is in the index. A worker writes a missing or altered marker again. */
export const isRunIndexWhole = async (store: Store): Promise<boolean> =>
  (await readUnaltered(store, keys.wholeRunIndex, z.object({}))).value !== undefined;

/** The day of a time, in UTC; undefined where that is no time. */
export const dayOf = (at: number): string | undefined =>
  Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
