import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { setRamp } from '../../../service/deployment/route-runs';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';

/** `portolan deploy ramp`: a build begins some of the runs, before it begins all of them. */
export const deployRampCommand = () =>
  new Command('ramp')
    .description(
      'Has a build begin a part of the runs; the current one begins the others. With --percent 0 it begins none.',
    )
    .argument('<build>', 'id of a build, or the beginning of it')
    .requiredOption('--percent <number>', 'how many of a hundred runs, from 0 to 100')
    .action((text, { percent }, command) =>
      perform(command, async (output, globals) => {
        const share = percentOf(percent);
        const config = loadConfig(globals.config);
        const routed = await withSources(config, (sources) => setRamp(sources, text, share));
        output.show(
          { ...routed, percent: share },
          () =>
            `build ${routed.build} begins ${share} of 100 runs from now on\nall      portolan deploy set-current ${routed.build}`,
        );
        return exitStatus.done;
      }),
    );

function percentOf(text: string): number {
  const percent = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && percent <= 100) return percent;
  throw new PortolanError('USAGE', `--percent must be a number from 0 to 100, not "${text}".`, {
    hint: 'Start with a few: portolan deploy ramp BUILD --percent 10',
  });
}
