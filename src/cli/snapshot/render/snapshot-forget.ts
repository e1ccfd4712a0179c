import { oneLine } from '../../../model/text/plain-text';
import type { Forgetting } from '../../../service/snapshot/forget-view';
import { columns } from '../../terminal/columns';
import { ageWords, itemWords, sizeWords } from './snapshot-list';
import type { Style } from '../../terminal/style';
import { countOf, listFirst, timeWords, bytesText } from '../../../model/text/words';

/** The decision on each snapshot, newest first, with its reasons. */
export function retentionTable(
  { decisions, unreadable, neededPackages }: Pick<Forgetting, 'decisions' | 'unreadable' | 'neededPackages'>,
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
        keep ? `cannot be read (${code})` : `requested; cannot be read (${code})`,
      ]),
    ],
    style,
  );
  return neededPackages.length === 0 ? table : [table, neededTable(neededPackages, style)].join('\n\n');
}

/** Packages kept because other snapshots need them. */
const neededTable = (packages: Forgetting['neededPackages'], style: Style): string =>
  columns(
    ['PACKAGE KEPT', 'SIZE', 'OF', 'NEEDED BY'],
    packages.map(({ sha256, sizeBytes, of, neededBy }) => [
      `${sha256.slice(0, 12)}..`,
      bytesText(sizeBytes),
      firstOf(of),
      firstOf(neededBy),
    ]),
    style,
  );

const firstOf = (names: readonly string[]): string => listFirst(names.map(oneLine), 1).join(' ');

/** The outcome. */
export function forgottenWords(
  { forgotten, packages, freedBytes, leftovers, notes }: NonNullable<Forgetting['result']>,
  { colors }: Style,
): string {
  return [
    `Forgot ${countOf(forgotten.length, 'snapshot')}; removed ${countOf(packages, 'package')}, ${bytesText(freedBytes)}.`,
    ...(leftovers.length === 0
      ? []
      : [`Removed unfinished snapshots: ${leftovers.map(oneLine).join(', ')}.`]),
    ...notes.map((note) => colors.yellow(`note  ${oneLine(note)}`)),
  ].join('\n');
}
