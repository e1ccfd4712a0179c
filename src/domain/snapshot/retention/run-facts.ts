import { z } from 'zod';
import { mapLimited } from '../../../model/map-limited';
import { keys } from '../../../store/keys';
import type { Store } from '../../../store/store';
import type { KnownSnapshot } from '../list-snapshots';
import type { RetentionContext } from './retention';

const READ_AT_A_TIME = 8;

/** As much of a run's record as retention has to know. */
const sketch = z.object({
  runId: z.string(),
  kind: z.string(),
  finishedAt: z.string().optional(),
  snapshot: z.object({ id: z.string() }).optional(),
  safeguard: z.object({ id: z.string() }).optional(),
});
type Sketch = z.infer<typeof sketch>;

/** What the records of runs say of their ends and of the snapshots that they work with. */
export async function runFacts(
  store: Store,
  snapshots: readonly KnownSnapshot[],
  openRuns: ReadonlySet<string> | undefined,
): Promise<Pick<RetentionContext, 'endedAt' | 'inUse'>> {
  const safeguarded = snapshots.filter(({ manifest }) => manifest.kind === 'safeguard');
  const asked = new Set([...safeguarded.map(({ manifest }) => manifest.runId), ...(openRuns ?? [])]);
  // Where nobody can say which runs are open, every one that has recorded no end may be.
  const ids = openRuns ? [...asked] : [...new Set([...asked, ...(await store.names(keys.runs))])];
  const records = await mapLimited(ids, READ_AT_A_TIME, (id) => readSketch(store, id));
  const endedAt = new Map<string, number>();
  const inUse = new Map<string, string>();
  for (const record of records) {
    if (!record) continue;
    if (record.finishedAt !== undefined) endedAt.set(record.runId, Date.parse(record.finishedAt));
    const isOpen = openRuns ? openRuns.has(record.runId) : record.finishedAt === undefined;
    if (!isOpen || record.kind === 'backup') continue;
    for (const used of [record.snapshot, record.safeguard]) if (used) inUse.set(used.id, record.runId);
  }
  return { endedAt, inUse };
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

const readSketch = (store: Store, runId: string): Promise<Sketch | undefined> =>
  store.readJson(keys.record(runId), sketch).catch(() => undefined);
