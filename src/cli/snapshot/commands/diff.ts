import { Command } from '@commander-js/extra-typings';
import type { ItemDiff, SnapshotComparison } from '../../../contract/snapshots';
import { differs } from '../../../domain/snapshot/diff';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { countOf, countWords, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp, statusArgument } from '../../terminal/arguments';
import { columns, labelled } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan snapshot diff`: compares two snapshots, or a snapshot with its group now. */
export const snapshotDiffCommand = () =>
  new Command('diff')
    .description(
      'Compare two snapshots, or a snapshot with its group now.\n\nLists items added, removed, changed and not compared. Exits 20 if they differ.',
    )
    .addHelpText(...examples('latest:transport live', 'k7q2 latest:transport'))
    .argument('<before>', argumentHelp.snapshot)
    .argument('<after>', "Same, or 'live' for the group now")
    .option('--exit-code <status>', 'Exit status if they differ', statusArgument, exitStatus.differences)
    .action(
      act(async ({ portolan, output }, before, after, { exitCode }) => {
        const comparison = await portolan.diffSnapshots({ snapshot: before, with: after });
        const status = differs(comparison) ? exitCode : exitStatus.done;
        output.show(comparison, (style) => comparisonTable(comparison, style));
        output.note(`\n${comparisonWords(comparison)}  Exit status ${status}.`);
        return status;
      }),
    );

/** Items that differ, one per line, then items whose data was not compared, with the reason. */
function comparisonTable(comparison: SnapshotComparison, style: Style): string {
  const { items, before, after, notes } = comparison;
  const different = items.filter(({ difference }) => difference !== 'same');
  const silent = items.filter(({ notCompared }) => notCompared.length > 0);
  const head = labelled(
    [
      ['A', sideWords(before)],
      [after.id === undefined ? 'live' : 'B', sideWords(after)],
      ...notes.map((note) => ['note', note] as const),
    ],
    style,
    6,
  );
  const differences = columns(
    ['DIFFERENCE', 'ITEM', 'TYPE', 'TITLE', 'WHAT'],
    different.map((item) => [paint(item, style), ...cells(item), item.fields.map(changeWords).join('; ')]),
    style,
  );
  const unread = columns(
    ['DATA NOT COMPARED', 'ITEM', 'TYPE', 'TITLE', 'WHY'],
    silent.map((item) => [item.difference, ...cells(item), item.notCompared.map(oneLine).join('; ')]),
    style,
  );
  return [
    head.join('\n'),
    ...(different.length === 0 ? [] : [differences]),
    ...(silent.length === 0 ? [] : [unread]),
  ].join('\n\n');
}

/** `1 added, 2 changed, 11 the same as far as compared: …`. */
function comparisonWords({ items, counts }: SnapshotComparison): string {
  const { added, removed, changed, same, notCompared } = counts;
  const parts = [
    added > 0 ? `${countWords(added)} added` : '',
    removed > 0 ? `${countWords(removed)} removed` : '',
    changed > 0 ? `${countWords(changed)} changed` : '',
    same > 0 ? `${countWords(same)} without a difference` : '',
  ].filter(Boolean);
  const how = items.some(({ bytes }) => bytes)
    ? 'by details and, if both have the same package, by content'
    : 'by details (type, title, owner, modified, size) and by row counts and last edits of layers, not byte by byte';
  const silent = notCompared > 0 ? ` The data of ${countOf(notCompared, 'item')} was not compared.` : '';
  return `${parts.join(', ') || 'No items'}. Compared ${how}.${silent}`;
}

const sideWords = ({ id, route, portal, groupId, at }: SnapshotComparison['before']): string =>
  id === undefined
    ? `group ${groupId} on ${portal}, read ${timeWords(at)}`
    : `${id}  ${route}, taken ${timeWords(at)} on ${portal}`;

const cells = ({ itemId, type, title }: ItemDiff): string[] => [
  oneLine(itemId),
  oneLine(type),
  oneLine(title),
];

/** `title "A" -> "B"`; `-` for a side without a value. */
const changeWords = ({ field, before, after }: ItemDiff['fields'][number]): string =>
  `${field}: ${valueWords(before)} -> ${valueWords(after)}`;

const valueWords = (value: string | number | undefined): string =>
  value === undefined ? '-' : typeof value === 'number' ? countWords(value) : oneLine(value);

function paint({ difference }: ItemDiff, { colors }: Style): string {
  switch (difference) {
    case 'added':
      return colors.green(difference);
    case 'removed':
      return colors.red(difference);
    case 'changed':
      return colors.yellow(difference);
    case 'same':
      return difference;
  }
}
