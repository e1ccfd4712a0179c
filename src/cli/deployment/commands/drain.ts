import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { drain } from '../../../service/deployment/drain';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { drainTable } from '../render/deployment';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan deploy drain`: moves waiting runs to the current version, so that the old workers can be stopped. */
export const deployDrainCommand = () =>
  new Command('drain')
    .description(
      'Move pinned runs to the current worker version.\n\n--yes moves those that are parked, waiting or failing, or all if no worker has the version. Others end on it.',
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
