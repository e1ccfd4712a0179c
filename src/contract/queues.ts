import { z } from 'zod';
import { directions } from '../model/run/portal-queue';
import { reasonText } from '../model/run/run';
import { delivery } from './delivery';
import { operation } from './operation';

/** A run that holds a slot. */
export const slotHolder = z.object({
  runId: z.string(),
  since: z.string().describe('ISO 8601, in UTC'),
});

/** A portal queue as seen from outside. */
export const portalQueueView = z.object({
  taskQueue: z.string(),
  portal: z.string().describe('name in portolan.yaml'),
  direction: z.enum(directions),
  slots: z.number().describe('runs that may hold a slot at a time'),
  holders: z.array(slotHolder).readonly(),
  waiting: z.array(z.string()).readonly().describe('runs that wait for a slot, the next one first'),
});
export type PortalQueueView = z.infer<typeof portalQueueView>;

/** The position of a run in a portal queue. */
export const queue = z.object({
  id: z.string().describe('workflow ID of the portal queue'),
  position: z.number().optional().describe('from 1; absent once the run holds a slot'),
});
export type Queue = z.infer<typeof queue>;

const slot = {
  portal: z.string().max(200),
  direction: z.enum(directions),
  run: z.string().min(1).max(300).describe('ID of the run that holds the slot, or a unique suffix of it'),
};

/** Portal queues: `portolan queue list|release`. */
export const queueOperations = {
  listQueues: operation({
    at: 'GET /queues',
    summary: 'List portal queues: runs that hold a slot and runs that wait',
    input: z.strictObject({}),
    answer: z.array(portalQueueView),
    right: 'view',
    needs: 'temporal',
  }),
  readHolder: operation({
    at: 'GET /queues/:portal/:direction/holder',
    summary: 'Find the run that holds a slot by its ID or a suffix',
    input: z.strictObject(slot),
    answer: slotHolder,
    right: 'view',
    needs: 'readable',
  }),
  releaseSlot: operation({
    at: 'POST /queues/:portal/:direction/release',
    summary: 'Free the slot of a run; the run itself continues',
    input: z.strictObject({
      ...slot,
      since: slotHolder.shape.since
        .optional()
        .describe('when the run took the slot; a slot it took at another time is not freed'),
      reason: reasonText.describe('saved with the run'),
    }),
    answer: delivery.extend({ queue: z.string(), runId: z.string(), released: z.literal(true) }),
    right: 'operate',
    needs: 'temporal',
  }),
};
