import { z } from 'zod';
import { mapLimited } from '../../../model/map-limited';
import { isPartOf } from '../../../model/run/run-id';
import { whyUnreadable } from '../unreadable';
import { keys } from '../../../store/keys';
import { type Store, STORE_READS_AT_A_TIME } from '../../../store/store';
import type { KnownSnapshot } from '../list-snapshots';
import type { RetentionContext } from './retention';

/** As much of a run's record as retention has to know. */
const sketch = z.object({
  runId: z.string(),
  kind: z.string(),
  finishedAt: z.string().optional(),
  snapshot: z.object({ id: z.string() }).optional(),
  safeguard: z.object({ id: z.string() }).optional(),
  release: z.object({ id: z.string() }).optional(),
});
type Sketch = z.infer<typeof sketch>;

/** What the records of runs say of their ends and of the snapshots that they work with. */
export async function runFacts(
  store: Store,
  snapshots: readonly KnownSnapshot[],
  openRuns: ReadonlySet<string> | undefined,
): Promise<Pick<RetentionContext, 'endedAt' | 'inUse'>> {
  const safeguards = snapshots.flatMap(({ manifest }) => (manifest.kind === 'safeguard' ? [manifest] : []));
  const records = await readRecords(
    store,
    openRuns,
    safeguards.map(({ runId }) => runId),
  );
  const endedAt = new Map<string, number>();
  const inUse = new Map<string, string>();
  const open = [...(openRuns ?? records.filter(({ isOpen }) => isOpen).map(({ runId }) => runId))];
  for (const { id, runId } of safeguards) {
    // A promotion that is open, or parked, goes back by what the ended runs of its groups have saved.
    const whole = open.find((each) => isPartOf(runId, each));
    if (whole !== undefined) inUse.set(id, whole);
  }
  for (const { runId, kind, finishedAt, isOpen, snapshot, safeguard } of records) {
    if (finishedAt !== undefined) endedAt.set(runId, Date.parse(finishedAt));
    if (!isOpen || kind === 'backup') continue;
    for (const used of [snapshot, safeguard]) if (used) inUse.set(used.id, runId);
  }
  return { endedAt, inUse };
}

/** Releases that an open promotion brings into a stage or takes back from there, each with that run. */
export async function releasesInUse(
  store: Store,
  openRuns: ReadonlySet<string> | undefined,
): Promise<ReadonlyMap<string, string>> {
  const records = await readRecords(store, openRuns);
  return new Map(
    records.flatMap(({ runId, kind, release, isOpen }) =>
      isOpen && kind === 'promotion' && release ? [[release.id, runId] as const] : [],
    ),
  );
}

/**
 * The records of all open runs.
 * @param others runs whose records are read as well
 */
async function readRecords(
  store: Store,
  openRuns: ReadonlySet<string> | undefined,
  others: readonly string[] = [],
): Promise<(Sketch & { readonly isOpen: boolean })[]> {
  // If no one can say which runs are open, each run that has recorded no end may be.
  const open = openRuns ?? (await store.names(keys.runs));
  const ids = [...new Set([...others, ...open])];
  const records = await mapLimited(ids, STORE_READS_AT_A_TIME, (id) => readSketch(store, id));
  return records.flatMap((record) =>
    record
      ? [{ ...record, isOpen: openRuns ? openRuns.has(record.runId) : record.finishedAt === undefined }]
      : [],
  );
}

/** Whether a run can still go on; undefined where that cannot be known. */
export async function isOpenRun(
  store: Store,
  runId: string,
  openRuns: ReadonlySet<string> | undefined,
): Promise<boolean | undefined> {
  if (openRuns) return openRuns.has(runId);
  return (await readSketch(store, runId))?.finishedAt === undefined ? undefined : false;
}

/** Undefined if there is no record, or it was altered. A store that does not respond ends the forgetting. */
const readSketch = (store: Store, runId: string): Promise<Sketch | undefined> =>
  store.readJson(keys.record(runId), sketch).catch((thrown: unknown) => {
    whyUnreadable(runId, thrown);
    return undefined;
  });
