import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { stageDiffTable } from '../render/stage-diff';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan promote diff`: shows what a release would change on a stage; writes nothing. */
export const promoteDiffCommand = () =>
  new Command('diff')
    .description(
      'Show what a release would change (read-only).\n\nLists new and changed items, those edited on the stage, settings, categories, and what the map of the stage replaces. Exits 20 if a promotion would change something. For what the portal itself reports: portolan promote PIPELINE --to STAGE --plan-only',
    )
    .argument('<pipeline>', argumentHelp.pipeline)
    .argument('<stage>', argumentHelp.stage)
    .option('--release <release>', 'Release to compare (default: current release of the previous stage)')
    .action((name, stageName, { release: text }, command) =>
      perform(command, async (output, globals) => {
        const diff = await withStoredPortolan(globals, ({ pipelines }) =>
          pipelines.diff(name, stageName, text),
        );
        const { stageDiffers } = await import('../../../domain/release/stage-diff.js');
        const status = stageDiffers(diff) ? exitStatus.differences : exitStatus.done;
        output.show(diff, (style) => stageDiffTable(diff, style));
        output.note(`\nStage: unchanged.  Exit status ${status}.`);
        return status;
      }),
    );
