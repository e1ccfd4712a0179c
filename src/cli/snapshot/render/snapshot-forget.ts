import { oneLine } from '../../../model/text/plain-text';
import type { Forgotten, RetentionPlan } from '../../../domain/snapshot/retention/forget';
import type { NeededPackage } from '../../../domain/snapshot/retention/needed-packages';
import {
  type SnapshotView,
  snapshotView,
  type UnreadableView,
} from '../../../service/snapshot/snapshot-view';
import { columns } from '../../terminal/columns';
import { ageWords, itemWords, sizeWords } from './snapshot-list';
import type { Style } from '../../terminal/style';
import { countOf, timeWords } from '../../../model/text/words';
import { bytesText } from '../../../model/text/bytes-text';

export interface DecisionView extends SnapshotView {
  readonly keep: boolean;
  readonly reasons: readonly string[];
}

export interface RetentionView {
  readonly decisions: readonly DecisionView[];
  readonly unreadable: readonly (UnreadableView & { readonly keep: boolean })[];
  /** Packages of what goes that stay, since others need them. */
  readonly neededPackages: readonly NeededPackage[];
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
  neededPackages: plan.needed,
});

/** What stays and what goes, newest first, each with its reasons. */
export function retentionTable(
  { decisions, unreadable, neededPackages }: RetentionView,
  style: Style,
): string {
  const { colors } = style;
  if (decisions.length + unreadable.length === 0) return 'No snapshots.';
  const word = (keep: boolean): string => (keep ? 'keep' : colors.red('forget'));
  const table = columns(
    ['DECISION', 'SNAPSHOT', 'TAKEN', 'AGE', 'ITEMS', 'SIZE', 'REASONS'],
    [
      ...decisions.map((each) => [
        word(each.keep),
        each.id,
        timeWords(each.takenAt),
        ageWords(each.ageMs),
        itemWords(each),
        sizeWords(each),
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
  return neededPackages.length === 0 ? table : [table, neededTable(neededPackages, style)].join('\n\n');
}

/** Packages that do not go with their snapshots, and for which others they stay. */
const neededTable = (packages: readonly NeededPackage[], style: Style): string =>
  columns(
    ['PACKAGE STAYS', 'SIZE', 'OF', 'NEEDED BY'],
    packages.map(({ sha256, sizeBytes, of, neededBy }) => [
      `${sha256.slice(0, 12)}..`,
      bytesText(sizeBytes),
      firstOf(of),
      firstOf(neededBy),
    ]),
    style,
  );

const firstOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? oneLine(first) : `${oneLine(first)} and ${others.length} more`;

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
