import type { CheckResult } from '../../model/release/check-result';
import type { PromotionEntry } from '../../model/release/promotion';

/** What the demo of promotions has shown. */
export interface StoryView {
  /** The promotion that failed and was undone by itself: its run, and the checks that failed. */
  readonly runId: string;
  readonly failed: readonly CheckResult[];
  /** Of production, the oldest first. */
  readonly history: readonly PromotionEntry[];
  readonly soakMs: number;
  /** How many facts about production were compared, before the promotion that failed and after it. */
  readonly compared: number;
  /** Those that differ, a line each. */
  readonly differences: readonly string[];
}
