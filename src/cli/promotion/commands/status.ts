import { Command } from '@commander-js/extra-typings';
import type { PipelineView, StageView } from '../../../contract/pipelines';
import { shortRunId } from '../../../model/run/run-id';
import { oneLine } from '../../../model/text/plain-text';
import { countOf, durationWords, timeWords } from '../../../model/text/words';
import { driftWords, nextWords } from '../../../service/promotion/stage-words';
import { act } from '../../terminal/act';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan promote status`: the stages of pipelines side by side. */
export const promoteStatusCommand = () =>
  new Command('status')
    .description(
      "Show each stage's release, soak time and drift.\n\nAlso shows who promoted it and when, whether it is verified, and what can be promoted next.",
    )
    .addHelpText(...examples('', 'traffic -o json'))
    .argument('[pipeline]', 'Pipeline (default: all)')
    .option('--no-drift', 'Do not check portals for drift')
    .action(
      act(async ({ portolan, output }, named, { drift }) => {
        const names = named === undefined ? await portolan.listPipelines() : [{ pipeline: named }];
        const views: PipelineView[] = [];
        for (const { pipeline } of names) views.push(await portolan.readPipeline({ pipeline, drift }));
        output.show(named === undefined ? views : views[0], (style) =>
          views.length === 0
            ? 'No pipelines. Write one into portolan.yaml: docs/guide/promotions.md'
            : views.map((view) => stageTable(view, style)).join('\n\n'),
        );
      }),
    );

/** A pipeline with its stages beside each other. */
function stageTable({ pipeline, stages }: PipelineView, style: Style): string {
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
      soakUntil === undefined ? undefined : `${durationWords(Date.parse(soakUntil) - Date.now())} left`,
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
