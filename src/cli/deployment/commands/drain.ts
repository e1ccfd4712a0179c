import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { drain } from '../../../service/deployment/drain';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { drainTable } from '../render/deployment';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan deploy drain`: what stands still at a build goes on with the current one, so that its workers can be stopped. */
export const deployDrainCommand = () =>
  new Command('drain')
    .description(
      'Move runs from a worker version to the current one.\n\nLists the open runs pinned to the version. --yes moves those that are parked, waiting or failing, or all if no worker has the version any more. Other runs end where they started.',
    )
    .argument('<version>', argumentHelp.version)
    .option('--yes', 'Move the runs')
    .action((text, { yes = false }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const drained = await withSources(config, (sources) => drain(sources, text, !yes));
        output.show(drained, (style) => drainTable(drained, style));
        const moves = drained.runs.some(({ becomes }) => becomes === 'moves');
        return moves ? exitStatus.usage : exitStatus.done;
      }),
    );
