import { Command } from '@commander-js/extra-typings';
import type { StageDifference } from '../../../contract/pipelines';
import { exitStatus } from '../../../model/errors/error-codes';
import { bad, good, notice, type Sheet, tableOf, type Value } from '../../../model/text/sheet';
import { countOf } from '../../../model/text/words';
import { changesTable, mappedTable } from '../../../service/run/changes-sheet';
import { changesOption, htmlOption, shownChanges, writeChanges } from '../../run/write-changes';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
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
    .addOption(changesOption())
    .addOption(htmlOption())
    .action(
      act(async ({ portolan, output }, pipeline, stage, { release, html, ...options }) => {
        const changes = options.changes === true || html !== undefined;
        const diff = await portolan.diffStage({ pipeline, stage, release, changes });
        const { stageDiffers } = await import('../../../domain/release/stage-diff.js');
        const status = stageDiffers(diff) ? exitStatus.differences : exitStatus.done;
        output.show(diff, () => [...differenceSheet(diff), ...(changes ? shownChanges(diff.rows) : [])]);
        if (html !== undefined) {
          const facts = [['release', diff.release] as const, ['stage', `${pipeline}/${stage}`] as const];
          await writeChanges(html, { title: `promote diff ${pipeline} ${stage}`, facts }, diff.rows);
        }
        output.note(`\nStage: unchanged. Exit status ${status}.`);
        return status;
      }),
    );

/** What a release would change on a stage: items, then values, then mapped references. */
function differenceSheet(diff: StageDifference): Sheet {
  const { pipeline, stage, release, blocked, stands, rows, settings = [], categories = [], mapped } = diff;
  const differing = rows.filter(({ difference, drifted }) => difference !== 'same' || drifted);
  return [
    { lines: [`${pipeline}/${stage}: ${stands ?? 'nothing'} -> ${release}`] },
    { lines: blocked === undefined ? [] : [bad(`${release} is blocked ${blocked}`)] },
    tableOf(differing, [
      ['Difference', differenceOf],
      ['Group', ({ group }) => group],
      ['Title', ({ title }) => title],
      ['Type', ({ type }) => type],
      ['Item', ({ itemId }) => itemId],
    ]),
    changesTable([...settings, ...categories], ['Stage', 'Release']),
    mapped && mappedTable(mapped),
    { lines: [`${countOf(rows.length - differing.length, 'item')} unchanged`] },
  ];
}

function differenceOf({ difference, drifted }: StageDifference['rows'][number]): Value {
  const text = drifted ? `${difference}, drifted` : difference;
  if (difference === 'new') return good(text);
  return difference === 'changed' || drifted ? notice(text) : text;
}
