import { WorkflowNotFoundError } from '@temporalio/client';
import type { Config } from '../../config/config';
import { directions, gateId, type GateAddress } from '../../model/run/gate';
import { isOpenExecution } from '../../model/open-execution';
import { readGateState } from '../../domain/run/gate-state';
import type { TemporalClient } from '../../temporal/session';
import type { GateView, Queue } from './gate-view';

/** Every gate of the configured portals. One that no run has come to since it was last left is empty. */
export const readGates = (
  temporal: TemporalClient,
  { portals, temporal: { taskQueue } }: Config,
): Promise<GateView[]> =>
  Promise.all(
    [...portals.values()].flatMap(({ name: portal, atOnce }) =>
      directions.map(async (direction): Promise<GateView> => {
        const slots = direction === 'export' ? atOnce.exports : atOnce.imports;
        const address = { taskQueue, portal, direction };
        return (await readGate(temporal, address)) ?? { ...address, slots, holders: [], queue: [] };
      }),
    ),
  );

/** The gate as it says of itself, which needs no worker; undefined where nobody is in and nobody waits. */
export async function readGate(
  { client }: TemporalClient,
  address: GateAddress,
): Promise<GateView | undefined> {
  try {
    const { memo, status } = await client.workflow.getHandle(gateId(address)).describe();
    const state = readGateState(memo);
    return isOpenExecution(status) && state ? { ...address, ...state } : undefined;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}

/** In the queue of which of these gates the run stands; undefined where it stands in none. */
export function queueOf(runId: string, gates: readonly GateView[]): Queue | undefined {
  const gate = gates.find(({ queue }) => queue.includes(runId));
  return gate && { gate: gateId(gate), position: gate.queue.indexOf(runId) + 1 };
}
