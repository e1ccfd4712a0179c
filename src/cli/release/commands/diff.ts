import { Command } from '@commander-js/extra-typings';
import type { ReleaseComparison } from '../../../contract/releases';
import { exitStatus } from '../../../model/errors/error-codes';
import { type Sheet, tableOf } from '../../../model/text/sheet';
import { countWords } from '../../../model/text/words';
import { changesTable } from '../../../service/run/changes-sheet';
import { act } from '../../terminal/act';
import { argumentHelp, statusArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan release diff`: compares two releases. */
export const releaseDiffCommand = () =>
  new Command('diff')
    .description(
      'Compare two releases.\n\nCompares groups item by item, and settings and categories value by value. Exits 20 if they differ.',
    )
    .addHelpText(...examples('m4wd latest:traffic'))
    .argument('<earlier>', argumentHelp.release)
    .argument('<later>', 'Same')
    .option('--exit-code <status>', 'Exit status if they differ', statusArgument, exitStatus.differences)
    .action(
      act(async ({ portolan, output }, earlier, later, { exitCode }) => {
        const comparison = await portolan.diffReleases({ release: earlier, with: later });
        output.show(comparison, () => comparisonSheet(comparison));
        const { groups, settings = [], categories = [] } = comparison;
        const isSame = groups.every(({ difference }) => difference === 'same');
        return isSame && settings.length + categories.length === 0 ? exitStatus.done : exitCode;
      }),
    );

/** What differs: each group, the items of those that changed, and each value of settings and categories. */
function comparisonSheet(comparison: ReleaseComparison): Sheet {
  const { before, after, groups, settings = [], categories = [] } = comparison;
  const countOfItems =
    (kind: 'added' | 'changed' | 'removed' | 'same') =>
    ({ counts }: ReleaseComparison['groups'][number]): string =>
      counts ? countWords(counts[kind]) : '-';
  return [
    { lines: [`${before} -> ${after}`] },
    tableOf(groups, [
      ['Group', ({ name }) => name],
      ['Difference', ({ difference }) => difference],
      ['Added', countOfItems('added')],
      ['Changed', countOfItems('changed')],
      ['Removed', countOfItems('removed')],
      ['Same', countOfItems('same')],
    ]),
    tableOf(
      groups.flatMap(({ name, items = [] }) =>
        items.filter(({ difference }) => difference !== 'same').map((item) => ({ name, ...item })),
      ),
      [
        ['Group', ({ name }) => name],
        ['Difference', ({ difference }) => difference],
        ['Item', ({ itemId }) => itemId],
        ['Type', ({ type }) => type],
        ['Title', ({ title }) => title],
      ],
    ),
    changesTable([...settings, ...categories], ['Before', 'After']),
  ];
}
