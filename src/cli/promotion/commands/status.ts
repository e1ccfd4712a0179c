import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { withReadablePortolan } from '../../terminal/with-portolan';
import { perform } from '../../terminal/globals';
import { promoteStatus } from '../render/promote-status';

/** `portolan promote status`: the stages of pipelines side by side. */
export const promoteStatusCommand = () =>
  new Command('status')
    .description(
      "Show each stage's release, soak time and drift.\n\nAlso shows who promoted it and when, whether it is verified, and what can be promoted next.",
    )
    .argument('[pipeline]', 'Pipeline (default: all)')
    .option('--no-drift', 'Do not check portals for drift')
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
