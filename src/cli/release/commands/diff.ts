import { Command } from '@commander-js/extra-typings';
import type { ReleaseComparison } from '../../../contract/releases';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { countWords } from '../../../model/text/words';
import { differencesTable } from '../../run/render/differences';
import { act } from '../../terminal/act';
import { argumentHelp, statusArgument } from '../../terminal/arguments';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
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
        output.show(comparison, (style) => comparisonTables(comparison, style));
        const { groups, settings = [], categories = [] } = comparison;
        const isSame = groups.every(({ difference }) => difference === 'same');
        return isSame && settings.length + categories.length === 0 ? exitStatus.done : exitCode;
      }),
    );

/** What differs: each group, the items of those that changed, and each value of settings and categories. */
function comparisonTables(comparison: ReleaseComparison, style: Style): string {
  const { before, after, groups, settings = [], categories = [] } = comparison;
  const items = groups.flatMap(({ name, items: all = [] }) =>
    all.filter(({ difference }) => difference !== 'same').map((item) => ({ name, ...item })),
  );
  const values = [...settings, ...categories];
  return [
    `${before} -> ${after}`,
    columns(
      ['GROUP', 'DIFFERENCE', 'ADDED', 'CHANGED', 'REMOVED', 'SAME'],
      groups.map(({ name, difference, counts }) => [
        name,
        difference,
        ...(['added', 'changed', 'removed', 'same'] as const).map((each) =>
          counts ? countWords(counts[each]) : '-',
        ),
      ]),
      style,
    ),
    ...(items.length === 0
      ? []
      : [
          columns(
            ['GROUP', 'DIFFERENCE', 'ITEM', 'TYPE', 'TITLE'],
            items.map(({ name, difference, itemId, type, title }) =>
              [name, difference, itemId, type, title].map(oneLine),
            ),
            style,
          ),
        ]),
    ...(values.length === 0 ? [] : [differencesTable(values, style, ['BEFORE', 'AFTER'])]),
  ].join('\n\n');
}
