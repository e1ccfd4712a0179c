import { z } from 'zod';
import { reasonText, type RunKind } from '../../model/run/run';
import { portalId } from '../../config/file/plain-values';
import type { Approval, RunRoute } from '../../model/transfer/route';
import type { StartedRun } from '../run/start-run';
import type { Takeover } from '../run/run-view';

/** A run that passed all checks possible here and has not started. */
export interface PreparedRun {
  readonly kind: RunKind;
  readonly route: RunRoute;
  /** Names of the workers. */
  readonly workers: readonly string[];
  /** Approval rule of its plan, unless approved at the start. */
  readonly approval?: Approval;
  /** What it reuses from an earlier run. */
  readonly takeover?: Takeover;
  /** Starts it, once. @param attended the starter is shown its plan and asked */
  begin(attended?: true): Promise<StartedRun>;
}

/** Reports actions taken before the run starts. */
export type Log = (words: string) => void;

const text = (max: number) => z.string().min(1).max(max);

/** A name to look up: ID, end of an ID, or `latest`. */
export const named = text(300);

export const itemIds = z.array(portalId('item id')).min(1).max(10_000).readonly();

/** Options of every start. */
export const anyStart = z.strictObject({
  reason: reasonText.optional().describe('reason, saved with the run'),
});

/** Options of starts with a plan. */
export const plannedStart = anyStart.extend({
  yes: z.boolean().default(false).describe('approve the plan, if the route allows it'),
});

/** The portal task that the run reports to. */
export const boundTask = z
  .strictObject({
    portal: text(63),
    username: text(200),
    taskId: text(200),
    taskRunId: text(200).optional(),
  })
  .optional();

/** Makes a start idempotent: `--request-id`, or the header `Idempotency-Key`. */
export interface Requested {
  readonly requestId?: string;
}
