import { Command } from '@commander-js/extra-typings';
import type { PipelineConfig } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { findPipeline } from '../../../config/resolve-pipeline';
import { Policy } from '../../../domain/policy/policy';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { mapLimited } from '../../../model/map-limited';
import { stageName } from '../../../model/release/promotion-input';
import type { RunRecord } from '../../../model/run/run';
import { readRun } from '../../run/read-run';
import { runPage } from '../../run/run-rows';
import { type RunSources, withReadableSources } from '../../run/run-sources';
import { perform } from '../../terminal/globals';
import { promoteStatus } from '../render/promote-status';
import { type StageView, stageView } from '../stage-view';

/** `portolan promote status`: the stages of pipelines side by side. */
export const promoteStatusCommand = () =>
  new Command('status')
    .description(
      'Shows which release stands in which stage, since when, by whom, whether it is verified, how long it has to stand there, and what may come next.',
    )
    .argument('[pipeline]', 'name of a pipeline in portolan.yaml; without one, all of them')
    .action((name, _options, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const pipelines = name === undefined ? [...config.pipelines.values()] : [findPipeline(config, name)];
        return withReadableSources(config, async (sources) => {
          const views: { pipeline: string; stages: StageView[] }[] = [];
          for (const pipeline of pipelines)
            views.push({ pipeline: pipeline.name, stages: await stagesOf(sources, pipeline) });
          output.show(name === undefined ? views : views[0], (style) =>
            views.length === 0
              ? 'No pipelines. Write one into portolan.yaml: docs/guide/promotions.md'
              : views.map((view) => promoteStatus(view.pipeline, view.stages, style)).join('\n\n'),
          );
          return exitStatus.done;
        });
      }),
    );

async function stagesOf(sources: RunSources, pipeline: PipelineConfig): Promise<StageView[]> {
  const { config, store } = sources;
  const underWay = await openPromotions(sources, pipeline);
  const standings = await openSnapshots(config, store).releases.promotions.standings(pipeline);
  const policy = new Policy(config, store);
  return await Promise.all(
    pipeline.stages.map(async (stage) => {
      const named = stageName(pipeline.name, stage.name);
      const ofStage = stage.after === undefined ? undefined : await policy.freezeOf(named);
      const frozen = ofStage ?? (await policy.freezeOf(stage.portal));
      // The one that was started first is at it; the others wait for it.
      const run = underWay.filter((each) => each.stage === named).at(-1);
      return {
        ...stageView(pipeline, stage, standings, Date.now()),
        ...(run && { underWay: { runId: run.runId, status: run.status } }),
        ...(frozen && { frozen: `by ${frozen.who}: ${frozen.reason}` }),
      };
    }),
  );
}

/** Promotions into any stage of the pipeline that can still go on, the newest first. */
async function openPromotions(sources: RunSources, { name }: PipelineConfig): Promise<RunRecord[]> {
  const { rows } = await runPage(sources, { route: name, open: true });
  const views = await mapLimited(
    rows.filter(({ kind }) => kind === 'promotion'),
    READ_AT_A_TIME,
    ({ runId }) => readRun(sources, runId),
  );
  return views.map(({ record }) => record);
}

const READ_AT_A_TIME = 8;
