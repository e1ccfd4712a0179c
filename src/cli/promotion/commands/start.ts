import { Command } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import { planStatus, startAndFollow } from '../../run/follow-run';
import { withPortolan } from '../../terminal/with-portolan';
import { durationArgument, reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';

/** `portolan promote PIPELINE --to STAGE`: a release comes into a stage. */
export const promoteStartCommand = () =>
  new Command('start')
    .summary('bring a release into a stage; "start" may be left out')
    .description(
      'Brings a release into a stage: one plan over all of its groups, settings and categories, one yes, each group imported and verified by a run of its own. It has to stand verified in the stage before, for as long as the soak of the stage says. Without --release it is what stands there.',
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .requiredOption('--to <stage>', 'stage of the pipeline')
    .option('--release <release>', 'id, an end of it, latest, or latest:PIPELINE')
    .option('--at-soak', 'where it has not stood in the stage before for long enough, wait until it has')
    .option('--hotfix', 'skip the order of the stages and the soak, never the policy; asks for --reason')
    .option('--plan-only', 'stop after the plan')
    .option('--exit-code', 'with --plan-only: end with 20 where the plan would change something')
    .option('--yes', 'approve the plan')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record and in the history of the stage', reasonArgument)
    .action((pipeline, { wait, timeout: timeoutMs, requestId, exitCode, ...flags }, command) =>
      perform(command, (output, globals) => {
        if (exitCode && !flags.planOnly)
          throw new PortolanError('USAGE', '--exit-code needs --plan-only.', {
            hint: 'See: portolan promote start --help',
          });
        return withPortolan(globals, (portolan) => {
          const start = { what: 'promotion' as const, request: { pipeline, ...flags } };
          return startAndFollow(portolan, output, start, {
            ...{ wait, timeoutMs, requestId },
            statusOf: exitCode ? planStatus : undefined,
          });
        });
      }),
    );
