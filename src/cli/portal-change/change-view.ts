import type { RunRecord } from '../../model/run/run';

/** All that is known of a change of a portal. */
export interface ChangeView {
  readonly record: RunRecord;
  /** Whether it can still go on. */
  readonly open: boolean;
  /** Where this comes from, as far as the reader has to know. */
  readonly notes: readonly string[];
  readonly ui?: string;
}
