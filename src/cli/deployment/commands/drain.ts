import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { drain } from '../../../service/deployment/drain';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { drainTable } from '../render/deployment';

/** `portolan deploy drain`: what stands still at a build goes on with the current one, so that its workers can be stopped. */
export const deployDrainCommand = () =>
  new Command('drain')
    .description(
      'Lists the open runs that keep to a build, and with --yes moves those that stand still to the current one: parked, waiting, or failing, and all of them where no worker has that build any more. What is under way ends where it began.',
    )
    .argument('<build>', 'id of a build, or the beginning of it')
    .option('--yes', 'move them')
    .action((text, { yes = false }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const drained = await withSources(config, (sources) => drain(sources, text, !yes));
        output.show(drained, (style) => drainTable(drained, style));
        const moves = drained.runs.some(({ becomes }) => becomes === 'moves');
        return moves ? exitStatus.usage : exitStatus.done;
      }),
    );
