import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { setCurrent } from '../../../service/deployment/route-runs';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';

/** `portolan deploy set-current`: a build begins all runs from now on; also the way back from a bad one. */
export const deploySetCurrentCommand = () =>
  new Command('set-current')
    .description(
      'Has a build begin every run from now on. Runs under way keep to theirs. The way back from a bad build is to name the one before it.',
    )
    .argument('<build>', 'id of a build, or the beginning of it')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const routed = await withSources(loadConfig(globals.config), (sources) => setCurrent(sources, text));
        const { build, before } = routed;
        const lines = [`build ${build} now starts all new runs`];
        if (before !== undefined && before !== build)
          lines.push(`before   ${before}; move its waiting runs with: portolan deploy drain ${before} --yes`);
        output.show(routed, () => lines.join('\n'));
        return exitStatus.done;
      }),
    );
