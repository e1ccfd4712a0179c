import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { setCurrent } from '../../../service/deployment/route-runs';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan deploy set-current`: a version starts all runs from now on; also the rollback of a bad one. */
export const deploySetCurrentCommand = () =>
  new Command('set-current')
    .description('Start all new runs on a worker version.\n\nOpen runs stay on theirs.')
    .argument('<version>', argumentHelp.version)
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const routed = await withSources(loadConfig(globals.config), (sources) => setCurrent(sources, text));
        const { build, before } = routed;
        const lines = [`version ${build} now starts all new runs`];
        if (before !== undefined && before !== build)
          lines.push(`before   ${before}; move its waiting runs with: portolan deploy drain ${before} --yes`);
        output.show(routed, () => lines.join('\n'));
        return exitStatus.done;
      }),
    );
