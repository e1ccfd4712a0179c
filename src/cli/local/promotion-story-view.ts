import type { CheckResult, PromotionEntry } from '../../model/release/promotion';

/** The results shown by the promotion demo. */
export interface StoryView {
  /** The promotion that failed and was rolled back automatically, and its failed checks. */
  readonly runId: string;
  readonly failed: readonly CheckResult[];
  /** History of production, oldest first. */
  readonly history: readonly PromotionEntry[];
  readonly soakMs: number;
  /** Number of facts about production compared before and after the failed promotion. */
  readonly compared: number;
  /** Facts that differ, one per line. */
  readonly differences: readonly string[];
}
