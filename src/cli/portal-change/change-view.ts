import type { ChangeRecord } from '../../model/portal-change/change';

/** All that is known of a change of a portal. */
export interface ChangeView {
  readonly record: ChangeRecord;
  /** Whether it can still go on. */
  readonly open: boolean;
  /** Where this comes from, as far as the reader has to know. */
  readonly notes: readonly string[];
  readonly ui?: string;
}
