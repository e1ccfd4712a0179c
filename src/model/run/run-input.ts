import type { ChangeInput } from '../portal-change/change';
import type { Signed } from './signature';
import type { DataPolicy, Route, RunRoute } from '../transfer/route';

/** What starts a run of any kind. Travels through history: holds no secret. */
export interface AnyInput extends Signed {
  /** The Temporal workflow id, and the only id that people see. */
  readonly runId: string;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  /** `--reason`, kept in the record. */
  readonly reason?: string;
  /** The run that this one restarts, retries or searches for. */
  readonly parent?: string;
  /** The scheduler of this route: the next run of the same route and scheduler supersedes this one if parked. */
  readonly scheduledBy?: string;
  /** Whether the run waits for a person where it cannot go on by itself. @default true */
  readonly parks?: boolean;
}

/** What starts a run that carries content of a group. */
export interface RunInput extends AnyInput {
  readonly route: RunRoute;
  /** `--yes`: approves the first plan of a route with `approval: ask`; never one with `required`. */
  readonly yes: boolean;
  /** The starter sees the plan and can decide, so others need not be notified at once. @default false */
  readonly attended?: boolean;
  /** `--request-id`, where given. */
  readonly requestId?: string;
  /** What an earlier run left that this one does not make again. */
  readonly reuse?: Reuse;
}

export interface SyncInput extends RunInput {
  readonly route: Route;
}

/** What a schedule starts: Temporal gives it its workflow id when its time has come. */
export type Unnamed<Input extends RunInput> = Omit<Input, 'runId'> & { readonly runId?: undefined };

/** What an earlier run left. */
export interface Reuse {
  /** The run whose package lies in the store. */
  readonly runId: string;
  /** What its bytes must come to: they are hashed again before they are used. */
  readonly sha256: string;
  /** The package item on the target, which is used only if the portal still has it, as long as the package is. */
  readonly targetPackage?: string;
}

/** Argument of the signal `approve`. */
export interface Approve extends Signed {
  /** Hash of the plan that was seen, in short or whole. */
  readonly hash: string;
  /** The whole of it. @default that of the plan which the run shows under `hash` */
  readonly sha256?: string;
  readonly who: string;
  readonly reason?: string;
}

/** Argument of the signal `reject`. */
export interface Refuse extends Signed {
  readonly who: string;
  readonly reason?: string;
}

/** Argument of the signal `cancel`. */
export interface Cancel extends Refuse {
  /** Do not wait for a job that runs on a portal: note it in `leftRunning` and end. @default false */
  readonly now?: boolean;
}

/** Argument of the signal `resume`. */
export interface Resume extends Refuse {
  /** What is corrected; the rest stays as the run was started. */
  readonly set?: RouteChange;
}

/** What a person can correct of a parked run. `null` takes a value away. */
export interface RouteChange {
  readonly folderId?: string | null;
  readonly folderOwner?: string | null;
  readonly overwrite?: boolean;
  readonly data?: DataPolicy;
  /** @format milliseconds */
  readonly jobDeadlineMs?: number;
  /** @format bytes */
  readonly freeDiskBytes?: number;
}

/** Argument of the signal `supersede`. */
export interface Supersede extends Signed {
  readonly by: string;
}

/** Names on the wire between starter and workflow. */
export const messageNames = {
  state: 'state',
  approve: 'approve',
  reject: 'reject',
  resume: 'resume',
  cancel: 'cancel',
  granted: 'granted',
  slotReleased: 'slotReleased',
  supersede: 'supersede',
} as const;

/** A child run, by its workflow and what starts it. */
export interface Part {
  readonly workflow: string;
  readonly input: (RunInput | ChangeInput) & { readonly parent?: string };
}
