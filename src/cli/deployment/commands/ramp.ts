import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { setRamp } from '../../../service/deployment/route-runs';
import { withSources } from '../../../service/run/run-sources';
import { perform } from '../../terminal/globals';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan deploy ramp`: a version starts some of the runs, before it starts all of them. */
export const deployRampCommand = () =>
  new Command('ramp')
    .description(
      'Start a percentage of new runs on a worker version.\n\nAlso moves that share of portal queues, bisects and deliveries.',
    )
    .argument('<version>', argumentHelp.version)
    .requiredOption('--percent <number>', 'Percentage of new runs, from 0 to 100')
    .action((text, { percent }, command) =>
      perform(command, async (output, globals) => {
        const share = percentOf(percent);
        const config = loadConfig(globals.config);
        const routed = await withSources(config, (sources) => setRamp(sources, text, share));
        output.show(
          { ...routed, percent: share },
          () =>
            `version ${routed.build} now starts ${share}% of new runs\nall      portolan deploy set-current ${routed.build}`,
        );
        return exitStatus.done;
      }),
    );

function percentOf(text: string): number {
  const percent = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && percent <= 100) return percent;
  throw new PortolanError('USAGE', `--percent must be a number from 0 to 100, not "${text}".`, {
    hint: 'Start with a few: portolan deploy ramp VERSION --percent 10',
  });
}
