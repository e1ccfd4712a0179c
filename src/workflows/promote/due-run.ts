import type { ChildWorkflowHandle, Workflow } from '@temporalio/workflow';
import type { DuePromotionInput } from '../../model/release/due-promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { Cancel } from '../../model/run/run-input';
import { cancelSignal } from '../run/messages';
import { Run } from '../run/run';

/** A promotion that is due: what it chose, and the run that brings it there. */
export class DueRun extends Run {
  declare readonly input: DuePromotionInput;
  chosen: PromotionInput | undefined;
  underWay: ChildWorkflowHandle<Workflow> | undefined;

  /** The promotion is cancelled with it; `now` passes the hurry on to it. */
  override async cancel(cancel: Cancel): Promise<void> {
    if (cancel.now) await this.underWay?.signal(cancelSignal, cancel);
    await super.cancel(cancel);
  }
}
