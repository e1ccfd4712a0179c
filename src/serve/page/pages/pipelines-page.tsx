import type { StageView } from '../../../contract/pipelines';
import { stageTable } from '../../../service/promotion/stage-sheets';
import { addressOfPipeline } from '../addresses';
import { StageForms } from '../forms/stage-forms';
import { BlockPart } from '../parts/sheet';

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
      <BlockPart block={stageTable(stages)} name="Stages" />
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
