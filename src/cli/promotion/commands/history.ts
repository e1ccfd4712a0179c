import { Command } from '@commander-js/extra-typings';
import type { PromotionEntry } from '../../../model/release/promotion';
import { shortRunId } from '../../../model/run/run-id';
import { oneLine } from '../../../model/text/plain-text';
import { timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan promote history`: promotions and rollbacks of a pipeline. */
export const promoteHistoryCommand = () =>
  new Command('history')
    .description(
      'List promotions and rollbacks, newest first.\n\nShows who started and approved each, and why.',
    )
    .addHelpText(...examples('traffic', 'traffic production -o json'))
    .argument('<pipeline>', argumentHelp.pipeline)
    .argument('[stage]', 'Stage of the pipeline (default: all)')
    .action(
      act(async ({ portolan, output }, pipeline, stage) => {
        const history = await portolan.readHistory({ pipeline, stage });
        output.show(history, (style) => entryTable(history.entries, style));
      }),
    );

/** The promotions and rollbacks of a pipeline, newest first. */
function entryTable(entries: readonly PromotionEntry[], style: Style): string {
  if (entries.length === 0) return 'No promotions yet.';
  const { colors } = style;
  return columns(
    ['AT', 'STAGE', 'RELEASE', 'WHAT', 'BY', 'APPROVED BY', 'RUN', 'REASON'],
    entries.map(({ at, stage, release, kind, status, hotfix, who, approvedBy = '-', runId, reason = '' }) => [
      timeWords(at),
      stage,
      release,
      [
        kind === 'promoted' ? kind : 'rolled back',
        ...(status === 'failed' ? [colors.red('failed')] : []),
        ...(hotfix ? [colors.red('hotfix')] : []),
      ].join(' '),
      oneLine(who),
      oneLine(approvedBy),
      shortRunId(runId),
      oneLine(reason),
    ]),
    style,
  );
}
