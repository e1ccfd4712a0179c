import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { stageDiffTable } from '../render/stage-diff';

/** `portolan promote diff`: what a release would make of a stage, without a write. */
export const promoteDiffCommand = () =>
  new Command('diff')
    .summary('what a release would change in a stage, writes nothing')
    .description(
      'Compares a release with what its stage holds, by listings and by what stands there: items that are new, changed, or edited on the stage since, settings and categories value by value, and what the map of the stage changes. Ends with 20 where a promotion would change something. What the portal itself says is known only after an upload: portolan promote PIPELINE --to STAGE --plan-only.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .argument('<stage>', 'stage of the pipeline')
    .option(
      '--release <release>',
      'id, an end of it, latest, or latest:PIPELINE; by default what stands in the stage before',
    )
    .action((name, stageName, { release: text }, command) =>
      perform(command, async (output, globals) => {
        const diff = await withStoredPortolan(globals, ({ pipelines }) =>
          pipelines.diff(name, stageName, text),
        );
        const { stageDiffers } = await import('../../../domain/release/stage-diff.js');
        const status = stageDiffers(diff) ? exitStatus.differences : exitStatus.done;
        output.show(diff, (style) => stageDiffTable(diff, style));
        output.note(`\nStage: untouched.  Exit status ${status}.`);
        return status;
      }),
    );
