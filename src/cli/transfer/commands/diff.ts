import { Command } from '@commander-js/extra-typings';
import type { RouteDiff } from '../../../contract/routes';
import { exitStatus } from '../../../model/errors/error-codes';
import { type Block, good, notice, tableOf, type Value } from '../../../model/text/sheet';
import { endWords, itemSizeWords } from '../../../model/text/words';
import { changesOption, htmlOption, shownChanges, writeChanges } from '../../run/write-changes';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan diff`: compares both groups; writes nothing. */
export const diffCommand = () =>
  new Command('diff')
    .description(
      'Show what a sync would change (read-only).\n\nCompares both groups and the results of earlier runs. Exits 20 if a sync would change something or an item is blocked. Kept, extra and non-exportable items are shown but do not count. For what the target itself reports: portolan sync ROUTE --plan-only',
    )
    .addHelpText(...examples('transport'))
    .argument('<route>', argumentHelp.route)
    .addOption(changesOption())
    .addOption(htmlOption())
    .action(
      act(async ({ portolan, output }, route, options) => {
        const changes = options.changes === true || options.html !== undefined;
        const { unknown, ...diff } = await portolan.diffRoute({ route, changes });
        if (unknown !== undefined) output.warn(`the outcome of earlier runs is unknown: ${unknown}`);
        const { hasWork } = await import('../../../domain/transfer/diff-groups.js');
        const status = hasWork(diff) ? exitStatus.differences : exitStatus.done;
        output.note(`${diffHeader(diff)}\n`);
        output.show(diff, () => [diffTable(diff), ...(changes ? shownChanges(diff.rows) : [])]);
        if (options.html !== undefined) {
          const facts = [['route', diffHeader(diff)] as const];
          await writeChanges(options.html, { title: `diff ${route}`, facts }, diff.rows);
        }
        output.note(
          [
            `\n${diffWords(diff)}. Target: unchanged. Exit status ${status}.`,
            ...keptLines(diff),
            `next     portolan sync ${route}`,
          ].join('\n'),
        );
        return status;
      }),
    );

/** Both groups side by side, one item per line. */
const diffTable = ({ rows }: RouteDiff): Block =>
  tableOf(
    rows,
    [
      ['Difference', differenceOf],
      ['Sync would', ({ difference, action }) => (difference === 'left out' ? 'skip' : action)],
      ['Title', ({ title }) => title],
      ['Type', ({ type }) => type],
      ['Size', ({ size }) => itemSizeWords(size)],
      ['Item ID', ({ itemId }) => ({ id: itemId })],
      ['Reason', ({ reason }) => reason],
    ],
    { empty: 'Both groups are empty.' },
  );

/** `transport: staging "Transport" (9f2c..e1) -> …`. */
const diffHeader = ({ route, sourceTitle, targetTitle }: RouteDiff): string =>
  `${route.name}: ${endWords({ ...route.source, groupTitle: sourceTitle })} -> ${endWords({ ...route.target, groupTitle: targetTitle })}`;

/** `8 new, 1 changed, 2 same, 2 extra, 2 skipped`. */
function diffWords({ rows }: RouteDiff): string {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(labelOf(row), (counts.get(labelOf(row)) ?? 0) + 1);
  return [...counts].map(([difference, count]) => `${count} ${difference}`).join(', ') || 'no items';
}

/** What a sync with `overwrite: true` would do to the kept items; empty without any. */
function keptLines({ rows }: RouteDiff): string[] {
  const kept = rows.filter(({ difference }) => difference === 'kept');
  if (kept.length === 0) return [];
  const overwritten = kept.filter(({ withOverwrite }) => withOverwrite === 'overwrite').length;
  const blocked = kept.filter(({ withOverwrite }) => withOverwrite === 'blocked').length;
  const data = kept.length - overwritten - blocked;
  const would = [
    ...(overwritten > 0 ? [`overwrite ${overwritten}`] : []),
    ...(blocked > 0 ? [`block ${blocked}`] : []),
    ...(data > 0 ? [`keep ${data} (hosted layers; data: replace overwrites their data)`] : []),
  ];
  return [`kept     ${kept.length} differ; with overwrite: true a sync would ${would.join(', ')}`];
}

/** The label of a difference; programs read `left out`. */
const labelOf = ({ difference }: Pick<RouteDiff['rows'][number], 'difference'>): string =>
  difference === 'left out' ? 'skipped' : difference;

function differenceOf({ difference }: RouteDiff['rows'][number]): Value {
  switch (difference) {
    case 'new':
      return good(difference);
    case 'changed':
    case 'drifted':
      return notice(difference);
    case 'kept':
    case 'same':
    case 'extra':
    case 'left out':
      return labelOf({ difference });
  }
}
