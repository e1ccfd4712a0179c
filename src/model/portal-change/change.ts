import { z } from 'zod';
import type { Signed } from '../run/signature';
import type { TaskAddress, TaskRunStatus } from './task-run';

/** A portal by its name in portolan.yaml, with `{base_url}` as the starter's configuration has it. */
export const portalRef = z.object({ portal: z.string(), url: z.string() });
export type PortalRef = z.infer<typeof portalRef>;

/** What starts a change of a portal as a whole. Travels through history: holds no secret. */
export interface ChangeInput extends Signed {
  /** The Temporal workflow id, and the only id that people see. */
  readonly runId: string;
  /** As it is typed: `apply`, `promote`, `delete`, `update`. */
  readonly operation: string;
  /** The portal that is changed. */
  readonly portal: PortalRef;
  /** Where its new values come from, if from another portal. */
  readonly from?: PortalRef;
  /** Claimed, not proven: `user@host`. */
  readonly startedBy: string;
  /** `--reason`, kept in the record. */
  readonly reason?: string;
}

/** Starts `task-run update`. */
export interface TaskRunInput extends ChangeInput {
  readonly task: TaskAddress;
  readonly status: TaskRunStatus;
  /** May be empty. @default the current one */
  readonly result?: string;
}
