import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { findPipeline, findStage } from '../../../config/resolve-pipeline';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { promoteHistory } from '../render/promote-history';

/** `portolan promote history`: what became of releases in the stages of a pipeline. */
export const promoteHistoryCommand = () =>
  new Command('history')
    .description(
      'Lists what was promoted to which stage and rolled back from there, by whom, who approved it, and why; the newest first.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .argument('[stage]', 'stage of the pipeline; without one, all of them')
    .action((name, stage, _options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const pipeline = findPipeline(config, name);
        if (stage !== undefined) findStage(config, pipeline, stage);
        const { promotions } = openSnapshots(config).releases;
        const entries = (await promotions.entries(name, stage)).reverse();
        output.show({ pipeline: name, entries }, (style) => promoteHistory(entries, style));
        return exitStatus.done;
      }),
    );
