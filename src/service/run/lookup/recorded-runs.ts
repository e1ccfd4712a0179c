import type { z } from 'zod';
import type { PortolanError } from '../../../model/errors/errors';
import { mapLimited } from '../../../model/map-limited';
import { type RunRecord, runRecord } from '../../../model/run/run';
import { timeOfRunId } from '../../../model/run/run-id';
import { keys } from '../../../store/keys';
import { notDone } from '../run-record';
import { readNote, type RunSources } from '../run-sources';
import type { RunRow } from '../run-view';

/** Records that are read at a time. */
export const READ_AT_A_TIME = 16;

/** A run of which the store has something, and when it was started as far as that is known without its record. */
export interface RecordedRun {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Runs by their times. Only these are sorted as a whole: a page is of a few of the runs. */
export class Timeline {
  private readonly times: Float64Array;

  constructor(private readonly runs: readonly RecordedRun[]) {
    this.times = Float64Array.from(runs, ({ at }) => at).sort();
  }

  get size(): number {
    return this.runs.length;
  }

  /** The newest so many before a time, newest first, and those of the same moment as the last of them. */
  before(time: number, count: number): RecordedRun[] {
    const end = this.times.findLastIndex((at) => at < time) + 1;
    const oldest = this.times[Math.max(0, end - count)] ?? Infinity;
    return this.runs.filter(({ at }) => at < time && at >= oldest).sort((a, b) => b.at - a.at);
  }
}

/** As much of a record as a row shows. */
const sketch = runRecord.pick({
  ...{ runId: true, kind: true, operation: true, route: true, status: true, phases: true, window: true },
  ...{ startedAt: true, finishedAt: true, startedBy: true, scheduledBy: true, temporal: true },
});
export type Sketch = z.infer<typeof sketch>;

/** Reads records of runs, each once. */
export class RecordedRuns {
  private readonly read = new Map<string, Promise<Sketch | undefined>>();

  /** @param onUntold is told why a record is not believed */
  constructor(
    private readonly sources: Pick<RunSources, 'config' | 'store'>,
    private readonly onUntold?: (why: PortolanError) => void,
  ) {}

  /** Ids of all runs in the store that end so: no record is read. */
  async endingSo(end: string): Promise<string[]> {
    const names = await this.sources.store.names(keys.runs);
    return names.filter((name) => name.endsWith(end));
  }

  /** Runs that may be of a route, by their times; records are read where an id does not tell its time. */
  async timeline(route?: string): Promise<Timeline> {
    const names = await this.sources.store.names(keys.runs);
    const dated: RecordedRun[] = [];
    const others: string[] = [];
    for (const runId of names) {
      if (route !== undefined && !runId.includes(`-${route}-`)) continue;
      const at = timeOfRunId(runId);
      if (at === undefined) others.push(runId);
      else dated.push({ runId, at });
    }
    const read = await mapLimited(others, READ_AT_A_TIME, async (runId) => {
      const record = await this.record(runId);
      return record === undefined ? [] : [{ runId, at: Date.parse(record.startedAt) }];
    });
    return new Timeline([...dated, ...read.flat()]);
  }

  /** Undefined where there is none, where it is not believed, and for a run of another task queue. */
  record(runId: string): Promise<Sketch | undefined> {
    const known = this.read.get(runId) ?? this.lookUp(runId);
    this.read.set(runId, known);
    return known;
  }

  private async lookUp(runId: string): Promise<Sketch | undefined> {
    const { store, config } = this.sources;
    const { value, why } = await readNote(store, keys.record(runId), sketch);
    if (why !== undefined) this.onUntold?.(why);
    return value !== undefined && isOfQueue(value, config.temporal.taskQueue) ? value : undefined;
  }
}

/** Records of earlier versions do not say whose they are. */
export const isOfQueue = ({ temporal }: Pick<RunRecord, 'temporal'>, taskQueue: string): boolean =>
  temporal.taskQueue === undefined || temporal.taskQueue === taskQueue;

export const rowOfRecord = (record: Sketch): RunRow => ({
  runId: record.runId,
  kind: record.kind,
  operation: record.operation,
  route: record.route.name,
  status: record.status,
  phase: record.phases.findLast(({ status }) => notDone.has(status))?.name,
  window: record.finishedAt === undefined ? record.window : undefined,
  startedAt: record.startedAt,
  finishedAt: record.finishedAt,
  startedBy: record.startedBy,
  scheduledBy: record.scheduledBy,
});
