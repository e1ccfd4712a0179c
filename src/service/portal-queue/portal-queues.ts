import { WorkflowNotFoundError } from '@temporalio/client';
import type { Queue, PortalQueueView } from '../../contract/queues';
import type { Config } from '../../config/config';
import { directions, portalQueueId, type PortalQueueAddress } from '../../model/run/portal-queue';
import { isOpenExecution, readPortalQueueState } from '../../domain/run/executions';
import type { TemporalClient } from '../../temporal/connection';

/** Every portal queue of the configured portals. One that no run has asked since it was last left is empty. */
export const readPortalQueues = (
  temporal: TemporalClient,
  { portals, temporal: { taskQueue } }: Config,
): Promise<PortalQueueView[]> =>
  Promise.all(
    [...portals.values()].flatMap(({ name: portal, concurrency }) =>
      directions.map(async (direction): Promise<PortalQueueView> => {
        const slots = direction === 'export' ? concurrency.exports : concurrency.imports;
        const address = { taskQueue, portal, direction };
        return (await readPortalQueue(temporal, address)) ?? { ...address, slots, holders: [], waiting: [] };
      }),
    ),
  );

/** The portal queue by its memo, which needs no worker; undefined if no run holds a slot or waits. */
export async function readPortalQueue(
  { client }: TemporalClient,
  address: PortalQueueAddress,
): Promise<PortalQueueView | undefined> {
  try {
    const { memo, status } = await client.workflow.getHandle(portalQueueId(address)).describe();
    const state = readPortalQueueState(memo);
    return isOpenExecution(status) && state ? { ...address, ...state } : undefined;
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return undefined;
    throw thrown;
  }
}

/** The portal queue of these in which the run waits; undefined if it waits in none. */
export function queueOf(runId: string, queues: readonly PortalQueueView[]): Queue | undefined {
  const queue = queues.find(({ waiting }) => waiting.includes(runId));
  return queue && { id: portalQueueId(queue), position: queue.waiting.indexOf(runId) + 1 };
}
