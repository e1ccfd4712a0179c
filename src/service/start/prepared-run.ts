import { z } from 'zod';
import { reasonText } from '../../model/text/reason';
import { portalId } from '../../config/file/plain-values';
import type { RunKind } from '../../model/run/run';
import type { Approval, RunRoute } from '../../model/transfer/route';
import type { StartedRun } from '../run/start-run';
import type { Takeover } from '../run/run-view';

/** A run that nothing stands against as far as it is seen from here, and that has not begun. */
export interface PreparedRun {
  readonly kind: RunKind;
  readonly route: RunRoute;
  /** Names of those that take work. */
  readonly workers: readonly string[];
  /** Whose yes its plan waits for, unless one was given with the start. */
  readonly approval?: Approval;
  /** What it takes over from an earlier run. */
  readonly takeover?: Takeover;
  /** Begins it, once. @param attended whoever starts it is shown its plan and asked */
  begin(attended?: true): Promise<StartedRun>;
}

/** Whoever sends a request is told what is done before the run begins. */
export type Say = (words: string) => void;

const text = (max: number) => z.string().min(1).max(max);

/** What names something to be looked up: a run, a snapshot, a release, by its id, an end of it, or `latest`. */
export const named = text(300);

export const itemIds = z.array(portalId('item id')).min(1).max(10_000).readonly();

/** What every start takes, whatever it starts. */
export const anyStart = z.strictObject({
  reason: reasonText.optional().describe('reason, saved with the run'),
});

/** Of runs whose plan is asked for. */
export const plannedStart = anyStart.extend({
  yes: z.boolean().default(false).describe('approve the plan, if the route allows it'),
});

/** A portal's scheduled task that is notified how the run goes. */
export const boundTask = z
  .strictObject({
    portal: text(63),
    username: text(200),
    taskId: text(200),
    taskRunId: text(200).optional(),
  })
  .optional();

/** By which the same start is begun once: `--request-id`, or the header `Idempotency-Key`. */
export interface Requested {
  readonly requestId?: string;
}
