import type { ChildWorkflowHandle, Workflow } from '@temporalio/workflow';
import type { DuePromotionInput } from '../../model/release/due-promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { Cancel } from '../../model/run/run-input';
import { cancelSignal } from '../run/messages';
import { Run } from '../run/run';

/** A scheduled promotion: its chosen release and its child run. */
export class DueRun extends Run {
  declare readonly input: DuePromotionInput;
  chosen: PromotionInput | undefined;
  underWay: ChildWorkflowHandle<Workflow> | undefined;

  /** Also cancels the promotion; `now` is passed on to it. */
  override async cancel(cancel: Cancel): Promise<void> {
    if (cancel.now) await this.underWay?.signal(cancelSignal, cancel);
    await super.cancel(cancel);
  }
}
