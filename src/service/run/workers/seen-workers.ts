import type { TemporalClient } from '../../../temporal/connection';
import { pollersOf, type QueueKind, transferQueueOf, workersAmong } from '../../../temporal/task-queue';
import type { SeenWorker } from './seen-worker-view';

export interface WorkKind {
  readonly takes: SeenWorker['takes'];
  readonly queue: string;
  readonly kind: QueueKind;
}

/** A kind of work and its task queue. */
export const workKinds = (taskQueue: string): readonly WorkKind[] => [
  { takes: 'runs', queue: taskQueue, kind: 'workflows' },
  { takes: 'calls', queue: taskQueue, kind: 'activities' },
  { takes: 'transfers', queue: transferQueueOf(taskQueue), kind: 'activities' },
];

/** Workers of every version that take that work, as Temporal saw them lately. */
export async function seenWorkersOf(
  temporal: TemporalClient,
  { takes, queue, kind }: WorkKind,
): Promise<SeenWorker[]> {
  const workers = workersAmong(await pollersOf(temporal, queue, kind));
  return workers.map(({ name, mark: { version, config, store } = {}, build }) => ({
    takes,
    name,
    version,
    config,
    store,
    build,
  }));
}

/** Workers of all kinds of work. */
export const seenWorkers = async (temporal: TemporalClient, taskQueue: string): Promise<SeenWorker[]> =>
  (await Promise.all(workKinds(taskQueue).map((kind) => seenWorkersOf(temporal, kind)))).flat();
