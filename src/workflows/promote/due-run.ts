import type { DuePromotionInput } from '../../model/release/due-promotion';
import type { PromotionInput } from '../../model/release/promotion-input';
import type { Memory } from '../run/memory';
import type { Kind } from '../run/phase';
import { Run } from '../run/run';

/** A scheduled promotion: its chosen release and its child run. */
export class DueRun extends Run<{ chosen?: PromotionInput }> {
  declare readonly input: DuePromotionInput;

  constructor(kind: Kind<DueRun>, input: DuePromotionInput, memory?: Memory) {
    super(kind, input, memory, {});
  }
}
