import { markIn, nameIn } from '../../../model/run/worker-view';
import type { TemporalClient } from '../../../temporal/session';
import { pollersOf, type QueueKind, transferQueueOf } from '../../../temporal/task-queue';
import type { SeenWorker } from './seen-worker-view';

export interface WorkKind {
  readonly takes: SeenWorker['takes'];
  readonly queue: string;
  readonly kind: QueueKind;
}

/** What workers take, and from which queue. */
export const workKinds = (taskQueue: string): readonly WorkKind[] => [
  { takes: 'runs', queue: taskQueue, kind: 'workflows' },
  { takes: 'calls', queue: taskQueue, kind: 'activities' },
  { takes: 'transfers', queue: transferQueueOf(taskQueue), kind: 'activities' },
];

/** Workers of every build that take that work, as Temporal has seen them lately, each by what it told of itself last. */
export async function seenWorkersOf(
  { connection, namespace }: TemporalClient,
  { takes, queue, kind }: WorkKind,
): Promise<SeenWorker[]> {
  const byName = new Map<string, { readonly at: number; readonly worker: SeenWorker }>();
  for (const { identity, build } of await pollersOf(connection, namespace, queue, kind)) {
    const [name, mark] = [nameIn(identity), markIn(identity)];
    const { version, config, store, at = 0 } = mark ?? {};
    const key = `${name} ${build ?? ''}`;
    if ((byName.get(key)?.at ?? -1) < at)
      byName.set(key, { at, worker: { takes, name, version, config, store, build } });
  }
  return [...byName.values()].map(({ worker }) => worker);
}

/** The same of all kinds of work. */
export const seenWorkers = async (temporal: TemporalClient, taskQueue: string): Promise<SeenWorker[]> =>
  (await Promise.all(workKinds(taskQueue).map((kind) => seenWorkersOf(temporal, kind)))).flat();
