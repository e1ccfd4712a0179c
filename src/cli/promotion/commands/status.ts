import { Command } from '@commander-js/extra-typings';
import type { PipelineView } from '../../../contract/pipelines';
import { strong } from '../../../model/text/sheet';
import { stageTable } from '../../../service/promotion/stage-sheets';
import { act } from '../../terminal/act';
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
        output.show(named === undefined ? views : views[0], () =>
          views.length === 0
            ? 'No pipelines. Write one into portolan.yaml: docs/guide/promotions.md'
            : views.map(({ pipeline, stages }) => ({ title: strong(pipeline), ...stageTable(stages) })),
        );
      }),
    );
