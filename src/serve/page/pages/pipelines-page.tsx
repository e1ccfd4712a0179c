import type { ComponentChildren } from 'preact';
import { addressOfPipeline } from '../addresses';
import { countOf, durationWords } from '../../../model/text/words';
import type { StageView } from '../../../contract/pipelines';
import { driftWords, nextWords } from '../../../service/promotion/stage-words';
import { RunLink } from '../parts/run-marks';
import { Table } from '../parts/table';
import { When } from '../parts/when';
import { Words } from '../parts/words';
import { useVisit } from '../visit';
import { StageForms } from '../forms/stage-forms';

/** The pipelines in portolan.yaml. */
export const PipelinesPage = ({
  pipelines,
}: {
  readonly pipelines: readonly { readonly pipeline: string; readonly stages: readonly string[] }[];
}) => (
  <>
    <h1>Pipelines</h1>
    {pipelines.length === 0 ? (
      <p>portolan.yaml has no pipelines.</p>
    ) : (
      <ul class="cards">
        {pipelines.map(({ pipeline, stages }) => (
          <li class="card">
            <h2>
              <a href={addressOfPipeline(pipeline)}>{pipeline}</a>
            </h2>
            <p>{stages.join(' → ')}</p>
          </li>
        ))}
      </ul>
    )}
  </>
);

export interface PipelineView {
  readonly pipeline: string;
  readonly stages: readonly StageView[];
  /** The portals were checked for drift. */
  readonly withDrift: boolean;
  readonly isAway: boolean;
}

/** The stages of a pipeline side by side: the current release of each, since when, and the next one. */
export const PipelinePage = ({ pipeline, stages, withDrift, isAway }: PipelineView) => (
  <>
    <h1>{pipeline}</h1>
    {isAway && <p class="banner bad">Cannot reach Temporal. Runs in progress are not shown.</p>}
    <section id="stages">
      <Table name="Stages" head={['Stage', ...stages.map(({ name }) => name)]}>
        <tbody>
          <StageRows stages={stages} />
        </tbody>
      </Table>
      {!withDrift && (
        <p>
          <a href={`${addressOfPipeline(pipeline)}?drift=1`}>Check for drift</a>
        </p>
      )}
    </section>
    <div class="stages">
      {stages.map((stage) => (
        <StageForms pipeline={pipeline} stage={stage} />
      ))}
    </div>
  </>
);

const StageRows = ({ stages }: Pick<PipelineView, 'stages'>) => {
  const { now } = useVisit();
  const rows: [string, (stage: StageView) => ComponentChildren][] = [
    ['portal', ({ portal }) => portal],
    [
      'release',
      ({ release, hotfix }) =>
        release && (
          <>
            <code>{release}</code> {hotfix && <span class="mark failed">hotfix</span>}
          </>
        ),
    ],
    [
      'since',
      ({ since, by }) =>
        since && (
          <>
            <When at={since} />
            {by !== undefined && (
              <>
                {' '}
                by <Words text={by} most={60} />
              </>
            )}
          </>
        ),
    ],
    [
      'verified',
      ({ verified, checks }) =>
        verified && (
          <span
            class={verified === 'ok' ? 'good' : 'bad'}
          >{`${verified}${checks === undefined ? '' : `, ${countOf(checks, 'check')}`}`}</span>
        ),
    ],
    ['soak time', ({ soakUntil }) => soakUntil && `${durationWords(Date.parse(soakUntil) - now)} left`],
    ['drift', ({ drift }) => driftWords(drift)],
    [
      'frozen',
      ({ frozen }) =>
        frozen && (
          <strong class="warn">
            <Words text={frozen} />
          </strong>
        ),
    ],
    [
      'in progress',
      ({ underWay }) =>
        underWay && (
          <>
            <RunLink runId={underWay.runId} /> {underWay.status}
          </>
        ),
    ],
    ['next', ({ next }) => next && nextWords(next)],
  ];
  return (
    <>
      {rows
        .map(([title, cell]) => [title, stages.map(cell)] as const)
        .filter(([, cells]) => cells.some((cell) => cell !== undefined && cell !== ''))
        .map(([title, cells]) => (
          <tr>
            <th scope="row">{title}</th>
            {cells.map((cell) => (
              <td>{cell ?? '–'}</td>
            ))}
          </tr>
        ))}
    </>
  );
};
