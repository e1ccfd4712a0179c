import { z } from 'zod';
import { directions } from '../model/run/portal-queue';

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
