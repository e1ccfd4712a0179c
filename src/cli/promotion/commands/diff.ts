import { Command } from '@commander-js/extra-typings';
import type { StageDifference } from '../../../contract/pipelines';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { countOf } from '../../../model/text/words';
import { differencesTable } from '../../run/render/differences';
import { mappedWords } from '../../run/render/plan';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan promote diff`: shows what a release would change on a stage; writes nothing. */
export const promoteDiffCommand = () =>
  new Command('diff')
    .description(
      'Show what a release would change (read-only).\n\nLists new and changed items, those edited on the stage, settings, categories, and what the map of the stage replaces. Exits 20 if a promotion would change something. For what the portal itself reports: portolan promote PIPELINE --to STAGE --plan-only',
    )
    .addHelpText(...examples('traffic production', 'traffic production --release latest:traffic -o json'))
    .argument('<pipeline>', argumentHelp.pipeline)
    .argument('<stage>', argumentHelp.stage)
    .option('--release <release>', 'Release to compare (default: current release of the previous stage)')
    .action(
      act(async ({ portolan, output }, pipeline, stage, { release }) => {
        const diff = await portolan.diffStage({ pipeline, stage, release });
        const { stageDiffers } = await import('../../../domain/release/stage-diff.js');
        const status = stageDiffers(diff) ? exitStatus.differences : exitStatus.done;
        output.show(diff, (style) => differenceTables(diff, style));
        output.note(`\nStage: unchanged.  Exit status ${status}.`);
        return status;
      }),
    );

/** What a release would change on a stage: items, then values, then mapped references. */
function differenceTables(diff: StageDifference, style: Style): string {
  const { pipeline, stage, release, stands, rows, settings = [], categories = [], mapped } = diff;
  const differing = rows.filter(({ difference, drifted }) => difference !== 'same' || drifted);
  const same = rows.length - differing.length;
  const values = [...settings, ...categories];
  return [
    `${pipeline}/${stage}: ${stands ?? 'nothing'} -> ${release}`,
    ...(differing.length === 0
      ? []
      : [
          columns(
            ['DIFFERENCE', 'GROUP', 'TITLE', 'TYPE', 'ITEM'],
            differing.map((row) => [
              paint(row, style),
              ...[row.group, row.title, row.type, row.itemId].map(oneLine),
            ]),
            style,
          ),
        ]),
    ...(values.length === 0 ? [] : [differencesTable(values, style, ['STAGE', 'RELEASE'])]),
    ...(mapped ? [mappedWords(mapped, style).join('\n')] : []),
    `${countOf(same, 'item')} unchanged`,
  ].join('\n\n');
}

type Row = StageDifference['rows'][number];

function paint({ difference, drifted }: Row, { colors }: Style): string {
  const words = drifted ? `${difference}, drifted` : difference;
  switch (difference) {
    case 'new':
      return colors.green(words);
    case 'changed':
      return colors.yellow(words);
    case 'same':
    case 'extra':
      return drifted ? colors.yellow(words) : words;
  }
}
