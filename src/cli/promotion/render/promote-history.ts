import type { PromotionEntry } from '../../../model/release/promotion';
import { shortRunId } from '../../../model/run/run-id';
import { oneLine } from '../../../model/text/plain-text';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { timeWords } from '../../../model/text/words';

/** The promotions and rollbacks of a pipeline, newest first. */
export function promoteHistory(entries: readonly PromotionEntry[], style: Style): string {
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
