import { z } from 'zod';
import type { RunStatus, TargetState } from './phase';
import type { Signed } from './signature';

/** Events of a run, or of a route's last good snapshot, that receivers can be notified of. */
export const notifyEvents = [
  ...(['started', 'waiting', 'parked', 'succeeded', 'partial', 'failed'] as const),
  ...(['promoted', 'rolled-back', 'overdue', 'recovered'] as const),
] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

/** The default events: problems that need a person, and their end. */
export const troubleEvents = ['parked', 'waiting', 'partial', 'failed', 'overdue', 'recovered'] as const;

/** The default events of a check that is pinged: a start, and every end that raises or ends an alarm. */
export const pingEvents = ['started', 'succeeded', 'parked', 'partial', 'failed', 'overdue'] as const;

/** How a webhook gets a message, besides the signed JSON. */
export const chatFormats = ['teams', 'slack', 'healthchecks'] as const;
export type WebhookFormat = 'json' | (typeof chatFormats)[number];

/** What receivers are notified of: the JSON that a command reads and a webhook gets. Holds no secret. */
export interface Notification {
  /** The same where a message is sent twice: a receiver that must not act twice drops what it knows. */
  readonly id: string;
  /** `test`: nothing has happened. */
  readonly event: NotifyEvent | 'test';
  /** Of `overdue`: the run that took the last good snapshot, else the watch that saw that there is none. */
  readonly runId: string;
  /** Name of the route. */
  readonly route: string;
  readonly status: RunStatus;
  readonly target: TargetState;
  /** Of a promotion: what was brought, and where to, as `PIPELINE/STAGE`. */
  readonly release?: string;
  readonly stage?: string;
  readonly reason?: string;
  /** What a person can type next, the first choice first. */
  readonly commands: readonly string[];
  /** Where the run is seen and answered, where `serve.url` says one. */
  readonly page?: string;
  /** All of it in one line, for chats. */
  readonly text: string;
}

/** What a run, or the watch over the age of snapshots, says when something happens. */
export interface Notice {
  /** @default 'run' */
  readonly about?: 'run' | 'age';
  readonly runId: string;
  readonly route: {
    readonly name: string;
    readonly source: { readonly groupId: string };
    readonly target?: { readonly groupId: string };
  };
  readonly event: NotifyEvent;
  readonly status: RunStatus;
  readonly target: TargetState;
  readonly release?: string;
  readonly stage?: string;
  readonly reason?: string;
  /** @default the commands that fit the event */
  readonly commands?: readonly string[];
  /** Hash of the plan that waits for an approval. */
  readonly planHash?: string;
  /** How often this has happened to the run, or been notified of a route, from 1. */
  readonly count: number;
}

/** The last trouble of a route, kept until a run of it ends well: that one has recovered. */
export const trouble = z.object({ runId: z.string(), event: z.enum(notifyEvents), at: z.string() });
export type Trouble = z.infer<typeof trouble>;

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
