import { Command } from '@commander-js/extra-typings';
import type { ItemDiff, SnapshotComparison } from '../../../contract/snapshots';
import { differs } from '../../../domain/snapshot/diff';
import { exitStatus } from '../../../model/errors/error-codes';
import {
  bad,
  type Columns,
  good,
  listed,
  notice,
  type Sheet,
  tableOf,
  type Value,
} from '../../../model/text/sheet';
import { countOf, countWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp, statusArgument } from '../../terminal/arguments';
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
        output.show(comparison, () => comparisonSheet(comparison));
        output.note(`\n${comparisonWords(comparison)}  Exit status ${status}.`);
        return status;
      }),
    );

/** Items that differ, one per row, then items whose data was not compared, with the reason. */
const comparisonSheet = ({ items, before, after, notes }: SnapshotComparison): Sheet => [
  {
    facts: [
      ['A', sideOf(before)],
      [after.id === undefined ? 'live' : 'B', sideOf(after)],
      ...notes.map((note): [string, string] => ['note', note]),
    ],
  },
  tableOf(
    items.filter(({ difference }) => difference !== 'same'),
    [
      ['Difference', differenceOf],
      ...itemColumns,
      ['What', ({ fields }) => fields.map(changeWords).join('; ')],
    ],
  ),
  tableOf(
    items.filter(({ notCompared }) => notCompared.length > 0),
    [
      ['Data not compared', ({ difference }) => difference],
      ...itemColumns,
      ['Why', ({ notCompared }) => notCompared.join('; ')],
    ],
  ),
];

const itemColumns: Columns<ItemDiff> = [
  ['Item', ({ itemId }) => itemId],
  ['Type', ({ type }) => type],
  ['Title', ({ title }) => title],
];

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

const sideOf = ({ id, route, portal, groupId, at }: SnapshotComparison['before']): Value =>
  id === undefined
    ? listed(`group ${groupId} on ${portal}`, ['read ', { time: at }])
    : [`${id} of ${route}, taken `, { time: at }, ` on ${portal}`];

/** `title "A" -> "B"`; `-` for a side without a value. */
const changeWords = ({ field, before, after }: ItemDiff['fields'][number]): string =>
  `${field}: ${valueWords(before)} -> ${valueWords(after)}`;

const valueWords = (value: string | number | undefined): string =>
  value === undefined ? '-' : typeof value === 'number' ? countWords(value) : value;

function differenceOf({ difference }: ItemDiff): Value {
  switch (difference) {
    case 'added':
      return good(difference);
    case 'removed':
      return bad(difference);
    case 'changed':
      return notice(difference);
    case 'same':
      return difference;
  }
}
