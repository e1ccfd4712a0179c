import type { GroupChange, RunRecord } from '../run/run';
import { shortened } from '../text/plain-text';

/*
 * The run of a rule has a row of each group in its memory, which Temporal takes up to 2 MB of: as its input when it
 * continues as new, and as its result. What is left out is in the store.
 */

/** A rule matches at most so many groups. */
export const RULE_GROUPS_MAX = 2_000;

/** @format characters */
const NAME_MAX = 50;
const REASON_MAX = 300;
const CHANGE_MAX = 400;

/** Groups whose failure is told in full; of the others the code is. */
export const REASONS_MAX = 100;

/** Changes that a run reports one by one. */
export const CHANGES_MAX = 100;

type Child = NonNullable<RunRecord['children']>[number];

/** A group as the memory has it. */
export const boundedGroup = ({ id, title }: { readonly id: string; readonly title: string }) => ({
  id,
  title: shortened(title, NAME_MAX),
});

/** @param failed how many groups have failed before */
export function boundedChild(child: Child, failed: number): Child {
  const { reason } = child;
  return {
    ...child,
    reason: failed < REASONS_MAX ? reason?.slice(0, REASON_MAX) : reason?.split(':')[0]?.slice(0, NAME_MAX),
  };
}

export const boundedChanges = (changes: readonly GroupChange[]): GroupChange[] =>
  changes.slice(0, CHANGES_MAX).map(({ title, detail, ...change }) => ({
    ...change,
    title: shortened(title, NAME_MAX),
    detail: shortened(detail, CHANGE_MAX),
  }));
