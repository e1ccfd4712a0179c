import { setTimeout as sleep } from 'node:timers/promises';
import type { PortalQueueView } from '../../src/contract/queues';
import { directions, portalQueueId, type PortalQueueAddress } from '../../src/model/run/portal-queue';
import { readPortalQueue } from '../../src/service/portal-queue/read-portal-queues';
import type { Config } from '../../src/config/config';
import { connectTemporal, type TemporalClient } from '../../src/temporal/connection';

/** A portal queue with waiting runs and no progress. */
export interface Idling {
  readonly queueId: string;
  readonly idleMs: number;
  /** It as it stood then. */
  readonly seen: Pick<PortalQueueView, 'holders' | 'waiting'>;
}

const LOOK_EVERY_MS = 2_000;

/** How far a portal queue is, in words that differ once anything went on: who is in and who waits, and what those do who are in. */
async function progressOf({ client }: TemporalClient, queue: PortalQueueView): Promise<string> {
  const lengths = await Promise.all(
    queue.holders.map(async ({ runId }) => {
      const { historyLength, raw } = await client.workflow.getHandle(runId).describe();
      const attempts = raw.pendingActivities?.map(({ activityId, attempt }) => [activityId, attempt]);
      return [runId, historyLength, attempts];
    }),
  );
  return JSON.stringify([lengths, queue.waiting]);
}

/**
 * Looks at every portal queue again and again, until `done`. Returns for each of them the longest time in which nothing
 * went on while somebody stood in its queue: nobody came or left, and no holder came further, not even by an attempt.
 */
export async function watchPortalQueues(
  { temporal: { address, taskQueue }, portals }: Config,
  done: AbortSignal,
): Promise<Idling[]> {
  const temporal = await connectTemporal({ address }, 'default');
  const addresses = [...portals.keys()].flatMap((portal) =>
    directions.map((direction): PortalQueueAddress => ({ taskQueue, portal, direction })),
  );
  const longest = new Map<string, Idling>();
  const last = new Map<string, { at: number; progress: string }>();
  while (!done.aborted) {
    await Promise.all(addresses.map(look));
    await sleep(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }
  await temporal.connection.close();
  return [...longest.values()];

  async function look(address: PortalQueueAddress): Promise<void> {
    const id = portalQueueId(address);
    const queue = await readPortalQueue(temporal, address);
    if (!queue || queue.waiting.length === 0) return void last.delete(id);
    const progress = await progressOf(temporal, queue);
    const before = last.get(id);
    if (before?.progress !== progress) return void last.set(id, { at: Date.now(), progress });
    const idleMs = Date.now() - before.at;
    if (idleMs > (longest.get(id)?.idleMs ?? 0))
      longest.set(id, { queueId: id, idleMs, seen: { holders: queue.holders, waiting: queue.waiting } });
  }
}
