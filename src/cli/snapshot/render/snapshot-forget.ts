import { oneLine } from '../../../model/text/plain-text';
import type { Forgotten, RetentionPlan } from '../../../domain/snapshot/retention/forget';
import { type SnapshotView, snapshotView, type UnreadableView } from '../snapshot-view';
import { columns } from '../../terminal/columns';
import { ageWords, itemWords } from './snapshot-list';
import type { Style } from '../../terminal/style';
import { countOf, timeWords } from '../../terminal/words';
import { bytesText } from '../../../model/text/bytes-text';

export interface DecisionView extends SnapshotView {
  readonly keep: boolean;
  readonly reasons: readonly string[];
}

export interface RetentionView {
  readonly decisions: readonly DecisionView[];
  readonly unreadable: readonly (UnreadableView & { readonly keep: boolean })[];
}

/** @param named whether the unreadable ones were named, and go */
export const retentionView = (plan: RetentionPlan, named: boolean, now: number): RetentionView => ({
  decisions: plan.decisions.map(({ snapshot, keep, reasons }) => ({
    ...snapshotView(snapshot, now),
    keep,
    reasons,
  })),
  unreadable: plan.unreadable.map(({ id, code, why }) => ({
    id,
    unreadable: { code, why },
    keep: !named,
  })),
});

/** What stays and what goes, newest first, each with its reasons. */
export function retentionTable({ decisions, unreadable }: RetentionView, style: Style): string {
  const { colors } = style;
  if (decisions.length + unreadable.length === 0) return 'No snapshots.';
  const word = (keep: boolean): string => (keep ? 'keep' : colors.red('forget'));
  return columns(
    ['DECISION', 'SNAPSHOT', 'TAKEN', 'AGE', 'ITEMS', 'SIZE', 'REASONS'],
    [
      ...decisions.map((each) => [
        word(each.keep),
        each.id,
        timeWords(each.takenAt),
        ageWords(each.ageMs),
        itemWords(each),
        each.sizeBytes === undefined ? '-' : bytesText(each.sizeBytes),
        oneLine(each.reasons.join('; ')),
      ]),
      ...unreadable.map(({ id, keep, unreadable: { code } }) => [
        word(keep),
        oneLine(id),
        ...['?', '?', '?', '?'],
        keep ? `cannot be read (${code})` : `named; cannot be read (${code})`,
      ]),
    ],
    style,
  );
}

/** What came of it. */
export function forgottenWords(
  { forgotten, packages, freedBytes, leftovers, notes }: Forgotten,
  { colors }: Style,
): string {
  return [
    `Forgot ${countOf(forgotten.length, 'snapshot')}; removed ${countOf(packages, 'package')}, ${bytesText(freedBytes)}.`,
    ...(leftovers.length === 0
      ? []
      : [`Tidied away what ${leftovers.map(oneLine).join(', ')} left unfinished.`]),
    ...notes.map((note) => colors.yellow(`note  ${oneLine(note)}`)),
  ].join('\n');
}
