import { oneLine } from '../../../model/text/plain-text';
import { shortRunId } from '../../../model/run/run-id';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { countOf, durationWords, timeWords } from '../../../model/text/words';
import type { StageView } from '../../../service/promotion/stage-view';
import { driftWords, nextWords } from '../../../service/promotion/stage-words';

/** A pipeline with its stages beside each other. @param now in milliseconds since the epoch */
export function promoteStatus(
  pipeline: string,
  stages: readonly StageView[],
  style: Style,
  now = Date.now(),
): string {
  const { colors } = style;
  const row = (title: string, cell: (stage: StageView) => string | undefined): string[] => [
    title,
    ...stages.map((stage) => cell(stage) ?? '-'),
  ];
  const rows = [
    row('portal', ({ portal }) => portal),
    row('release', ({ release, hotfix }) => (hotfix ? `${release ?? ''} ${colors.red('hotfix')}` : release)),
    row('since', ({ since, by }) =>
      since === undefined ? undefined : `${timeWords(since)}${by === undefined ? '' : ` by ${oneLine(by)}`}`,
    ),
    row('verified', (stage) => verifiedWords(stage, style)),
    row('soak', ({ soakUntil }) =>
      soakUntil === undefined ? undefined : `${durationWords(Date.parse(soakUntil) - now)} left`,
    ),
    row('drift', ({ drift }) => driftWords(drift)),
    row('frozen', ({ frozen }) => (frozen === undefined ? undefined : colors.yellow(oneLine(frozen)))),
    row('in progress', ({ underWay }) =>
      underWay === undefined
        ? undefined
        : `${underWay.status}: portolan run show ${shortRunId(underWay.runId)}`,
    ),
    row('next', ({ next }) => next && nextWords(next)),
  ];
  const shown = rows.filter(
    ([title = '', ...cells]) => !mayMiss.has(title) || cells.some((cell) => cell !== '-'),
  );
  return columns([`PIPELINE ${pipeline}`, ...stages.map(({ name }) => name)], shown, style);
}

/** Rows that are omitted if no stage has a value. */
const mayMiss: ReadonlySet<string> = new Set(['frozen', 'in progress']);

/** `ok  2 checks`. */
function verifiedWords({ verified, checks }: StageView, { colors }: Style): string | undefined {
  if (verified === 'failed') return colors.red('failed');
  return checks === undefined ? verified : `${verified}  ${countOf(checks, 'check')}`;
}
