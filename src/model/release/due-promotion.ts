import { partRunId } from '../run/run-id';
import type { RunInput } from '../run/run-input';
import type { Route } from '../transfer/route';
import type { PromotionInput } from './promotion-input';

/**
 * What starts a promotion of what may go into a stage once it is due: when a schedule is signed, nobody knows which
 * release that will be.
 */
export interface DuePromotionInput extends RunInput {
  /** As that of the promotion will be. */
  readonly route: Route;
  readonly stage: string;
  /** Id of a release, or an end of it. @default the latest one that may go there */
  readonly release?: string;
}

/** The promotion that it starts, by what that is. */
export const promotionOf = (
  due: DuePromotionInput,
  what: Omit<PromotionInput, Exclude<keyof RunInput, 'route'> | 'hotfix' | 'undoes'>,
): PromotionInput => ({
  ...what,
  runId: partRunId(due.runId, 1),
  parent: due.runId,
  startedBy: due.startedBy,
  scheduledBy: due.scheduledBy,
  yes: due.yes,
  reason: due.reason,
});
