import { z } from 'zod';
import { mapLimited } from '../../model/map-limited';
import type { RunRecord } from '../../model/run/run';
import { timeOfRunId } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

const AT_A_TIME = 16;
/** What lies under a key of the index: its name says all. */
const NOTHING = {};

const sketch = z.object({ startedAt: z.string() });

/**
 * Notes a run by its day and by the end of its id, so that the newest ones, and one by the end of its id, are found
 * without a look at all that the store has of others. To be written before its record. A repeat is no error.
 */
export async function indexRun(
  store: Store,
  { runId, startedAt }: Pick<RunRecord, 'runId' | 'startedAt'>,
): Promise<void> {
  const day = dayOf(timeOfRunId(runId) ?? Date.parse(startedAt));
  const end = indexedEnd(runId);
  if (day !== undefined) await store.writeJson(keys.runOfDay(day, runId), NOTHING);
  if (end !== undefined) await store.writeJson(keys.runOfEnd(end, runId), NOTHING);
}

/**
 * Notes each run that the index lacks, as those that an earlier version has recorded, and then that it is whole.
 * @param isGivenUp is asked before each run; what is missing then is noted the next time
 */
export async function completeRunIndex(store: Store, isGivenUp: () => boolean = () => false): Promise<void> {
  const known = new Set<string>();
  for await (const key of store.list(keys.runDays)) known.add(runOfIndexed(key));
  const missing = (await store.names(keys.runs)).filter((runId) => !known.has(runId));
  await mapLimited(missing, AT_A_TIME, async (runId) => {
    if (isGivenUp()) return;
    // Of one that is about to begin there is no record yet; whoever writes that will note it.
    const record =
      timeOfRunId(runId) === undefined
        ? await store.readJson(keys.record(runId), sketch).catch(() => undefined)
        : undefined;
    await indexRun(store, { runId, startedAt: record?.startedAt ?? '' });
  });
  if (!isGivenUp() && !(await isRunIndexWhole(store))) await store.writeJson(keys.wholeRunIndex, NOTHING);
}

/** Whether every run with a record is in the index. A store that no worker has met since has none, or part of one. */
export const isRunIndexWhole = async (store: Store): Promise<boolean> =>
  (await store.readJson(keys.wholeRunIndex, z.object({}))) !== undefined;

/** The run of a key of the index, or of the name of one in its folder. */
export const runOfIndexed = (key: string): string =>
  key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, '');

/** The day of a time, in UTC; undefined where that is no time. */
export const dayOf = (at: number): string | undefined =>
  Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);

const scheduledEnd = /(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\dZ(?:n\d{3,})*$/;
/** Of these, too little is there to tell whether it ends a time. */
const maybeOfTime = /Z(?:n\d{3,})*$|^[n\d]*$/;

/**
 * Under which end an id stands in the index, and where to look for ids that end so: the day of what a schedule started,
 * else the last two signs. Undefined where that cannot be told, and every id has to be looked at.
 */
export function indexedEnd(end: string): string | undefined {
  const [, day] = scheduledEnd.exec(end) ?? [];
  if (day !== undefined) return day;
  return maybeOfTime.test(end) || end.length < 2 ? undefined : end.slice(-2);
}
