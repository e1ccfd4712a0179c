import { z } from 'zod';
import type { RunStatus, TargetState } from './phase';

/** Events of a run, or of a route's last good snapshot, that receivers can be notified of. */
export const notifyEvents = [
  ...(['started', 'waiting', 'parked', 'succeeded', 'partial', 'failed'] as const),
  ...(['promoted', 'rolled-back', 'overdue', 'recovered'] as const),
] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

/** The default events: problems that need a person, and their end. */
export const troubleEvents = ['parked', 'waiting', 'partial', 'failed', 'overdue', 'recovered'] as const;

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
