import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { withReadablePortolan } from '../../terminal/with-portolan';
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
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async (portolan) => {
          const views = await portolan.pipelines.stages(name, { drift });
          output.show(name === undefined ? views : views[0], (style) =>
            views.length === 0
              ? 'No pipelines. Write one into portolan.yaml: docs/guide/promotions.md'
              : views.map((view) => promoteStatus(view.pipeline, view.stages, style)).join('\n\n'),
          );
          return exitStatus.done;
        }),
      ),
    );
