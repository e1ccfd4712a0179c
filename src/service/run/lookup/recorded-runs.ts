import type { z } from 'zod';
import type { RunRow } from '../../../contract/run-row';
import type { PortolanError } from '../../../model/errors/errors';
import { mapLimited } from '../../../model/map-limited';
import { type RunRecord, runRecord } from '../../../model/run/run';
import { indexedEnd, timeOfRunId } from '../../../model/run/run-id';
import { keys } from '../../../store/keys';
import { notDone } from '../run-record';
import { readNote, type ReadContext } from '../run-sources';
import { type RecordedRun, Timeline } from './timeline';
import { STORE_READS_AT_A_TIME } from '../../../store/store';

/** The fields of a record that a row shows. */
const sketch = runRecord.pick({
  runId: true,
  kind: true,
  operation: true,
  route: true,
  status: true,
  phases: true,
  window: true,
  startedAt: true,
  finishedAt: true,
  startedBy: true,
  scheduledBy: true,
  temporal: true,
});
export type Sketch = z.infer<typeof sketch>;

/** Reads records of runs, each once. */
export class RecordedRuns {
  private readonly read = new Map<string, Promise<Sketch | undefined>>();

  /** @param onUntold is told why a record is not believed */
  constructor(
    private readonly sources: Pick<ReadContext, 'config' | 'store'>,
    private readonly onUntold?: (why: PortolanError) => void,
  ) {}

  /** IDs of all stored runs with that end; reads no record. */
  async endingSo(end: string): Promise<string[]> {
    const { store } = this.sources;
    const under = indexedEnd(end);
    const ids =
      under === undefined
        ? await store.names(keys.runs)
        : (await store.names(keys.runsOfEnd(under))).flatMap((name) => keys.idOfIndexed(name) ?? []);
    return ids.filter((runId) => runId.endsWith(end));
  }

  /** Runs that may belong to a route, by time; records are read only if an ID does not show its time. */
  async timeline(route?: string): Promise<Timeline> {
    const { store } = this.sources;
    const dated = (runIds: readonly string[]): Promise<RecordedRun[]> =>
      this.dated(route === undefined ? runIds : runIds.filter((runId) => runId.includes(`-${route}-`)));
    return new Timeline(await store.names(keys.runDays), async (day) =>
      dated((await store.names(keys.runsOfDay(day))).flatMap((name) => keys.idOfIndexed(name) ?? [])),
    );
  }

  private async dated(runIds: readonly string[]): Promise<RecordedRun[]> {
    const known: RecordedRun[] = [];
    const others: string[] = [];
    for (const runId of runIds) {
      const at = timeOfRunId(runId);
      if (at === undefined) others.push(runId);
      else known.push({ runId, at });
    }
    const read = await mapLimited(others, STORE_READS_AT_A_TIME, async (runId) => {
      const record = await this.record(runId);
      return record === undefined ? [] : [{ runId, at: Date.parse(record.startedAt) }];
    });
    return [...known, ...read.flat()];
  }

  /** Undefined if there is none, if its signature is invalid, or for another task queue. */
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

/** The record of a refused start names no task queue. */
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
