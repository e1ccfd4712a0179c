import { setTimeout as sleep } from 'node:timers/promises';
import { directions, gateId, type GateAddress } from '../../src/model/run/gate';
import { type GateView } from '../../src/service/gate/gate-view';
import { readGate } from '../../src/service/gate/gates';
import type { Fleet } from './fleet';

/** A gate with somebody in its queue at which nothing went on. */
export interface Idling {
  readonly gate: string;
  readonly idleMs: number;
  /** It as it stood then. */
  readonly seen: Pick<GateView, 'holders' | 'queue'>;
}

const LOOK_EVERY_MS = 2_000;

/** How far a gate is, in words that differ once anything went on: who is in and who waits, and what those do who are in. */
async function progressOf({ temporal }: Fleet, gate: GateView): Promise<string> {
  const lengths = await Promise.all(
    gate.holders.map(async ({ runId }) => {
      const { historyLength, raw } = await temporal.client.workflow.getHandle(runId).describe();
      const attempts = raw.pendingActivities?.map(({ activityId, attempt }) => [activityId, attempt]);
      return [runId, historyLength, attempts];
    }),
  );
  return JSON.stringify([lengths, gate.queue]);
}

/**
 * Looks at every gate of a fleet again and again, until `done`. Returns for each of them the longest time in which nothing
 * went on while somebody stood in its queue: nobody came or left, and no holder came further, not even by an attempt.
 */
export async function watchGates(fleet: Fleet, done: AbortSignal): Promise<Idling[]> {
  const { taskQueue } = fleet.config.temporal;
  const addresses = [...fleet.config.portals.keys()].flatMap((portal) =>
    directions.map((direction): GateAddress => ({ taskQueue, portal, direction })),
  );
  const longest = new Map<string, Idling>();
  const last = new Map<string, { at: number; progress: string }>();
  while (!done.aborted) {
    await Promise.all(addresses.map(look));
    await sleep(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
  }
  return [...longest.values()];

  async function look(address: GateAddress): Promise<void> {
    const id = gateId(address);
    const gate = await readGate(fleet.temporal, address);
    if (!gate || gate.queue.length === 0) return void last.delete(id);
    const progress = await progressOf(fleet, gate);
    const before = last.get(id);
    if (before?.progress !== progress) return void last.set(id, { at: Date.now(), progress });
    const idleMs = Date.now() - before.at;
    if (idleMs > (longest.get(id)?.idleMs ?? 0))
      longest.set(id, { gate: id, idleMs, seen: { holders: gate.holders, queue: gate.queue } });
  }
}
