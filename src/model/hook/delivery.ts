import { z } from 'zod';
import { type Notification, notifyEvents } from '../run/notification';
import type { Signed } from '../run/signature';

/** Name of the workflow on the wire that sends a message until it arrives. */
export const deliveryWorkflow = 'delivery';

/** How long a message is retried. @format milliseconds */
export const DELIVERED_WITHIN_MS = 3 * 24 * 3_600_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Pauses between attempts; the last one repeats. @format milliseconds */
const pauses = [SECOND, 5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE];

/** Pause after this many failed attempts, from 1. @format milliseconds */
export const pauseAfter = (attempts: number): number =>
  pauses[Math.min(attempts, pauses.length) - 1] ?? SECOND;

/** A message to retry: the input of its workflow. Holds no secret. */
export interface Delivery extends Signed {
  /** Name of the receiver in portolan.yaml, where its address and its secrets are. */
  readonly receiver: string;
  readonly message: Notification;
  /** Retried until then. @format milliseconds since the epoch */
  readonly until: number;
  /** Number of earlier attempts. */
  readonly tried: number;
}

/** Delivery state of a message. */
export const deliveryNote = z.object({
  event: z.enum([...notifyEvents, 'test']),
  runId: z.string().describe('the run the message reports'),
  status: z.enum(['delivered', 'open', 'failed']).describe('`open`: it is retried'),
  attempts: z.number(),
  at: z.iso.datetime().describe('of the last attempt'),
  nextAt: z.iso.datetime().optional().describe('of the next attempt'),
  problem: z.string().optional().describe('why the last attempt failed'),
});
export type DeliveryNote = z.infer<typeof deliveryNote>;
