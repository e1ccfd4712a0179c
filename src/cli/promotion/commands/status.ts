import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPipeline } from '../../../config/resolve-pipeline';
import { exitStatus } from '../../../model/errors/error-codes';
import { readStages } from '../../../service/promotion/read-stages';
import type { StageView } from '../../../service/promotion/stage-view';
import { withReadableSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { promoteStatus } from '../render/promote-status';

/** `portolan promote status`: the stages of pipelines side by side. */
export const promoteStatusCommand = () =>
  new Command('status')
    .description(
      'Shows which release stands in which stage, since when, by whom, whether it is verified, how long it has to stand there, what was edited there since, and what may come next.',
    )
    .argument('[pipeline]', 'name of a pipeline in portolan.yaml; without one, all of them')
    .option('--no-drift', 'ask no portal what was edited on the stages since')
    .action((name, { drift }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const pipelines = name === undefined ? [...config.pipelines.values()] : [findPipeline(config, name)];
        return withReadableSources(config, async (sources) => {
          const views: { pipeline: string; stages: StageView[] }[] = [];
          for (const pipeline of pipelines)
            views.push({ pipeline: pipeline.name, stages: await readStages(sources, pipeline, { drift }) });
          output.show(name === undefined ? views : views[0], (style) =>
            views.length === 0
              ? 'No pipelines. Write one into portolan.yaml: docs/guide/promotions.md'
              : views.map((view) => promoteStatus(view.pipeline, view.stages, style)).join('\n\n'),
          );
          return exitStatus.done;
        });
      }),
    );
