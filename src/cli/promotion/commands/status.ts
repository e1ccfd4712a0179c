import { Command } from '@commander-js/extra-typings';
import type { PipelineConfig } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { findPipeline } from '../../../config/resolve-pipeline';
import { Policy } from '../../../domain/policy/policy';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
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

async function stagesOf({ config, store }: RunSources, pipeline: PipelineConfig): Promise<StageView[]> {
  const standings = await openSnapshots(config, store).releases.promotions.standings(pipeline);
  const policy = new Policy(config, store);
  return await Promise.all(
    pipeline.stages.map(async (stage) => {
      const frozen = await policy.freezeOf(stage.portal);
      const view = stageView(pipeline, stage, standings, Date.now());
      return { ...view, ...(frozen && { frozen: `by ${frozen.who}: ${frozen.reason}` }) };
    }),
  );
}
