import { Command } from '@commander-js/extra-typings';
import { PortolanError } from '../../../model/errors/errors';
import { planStatus, startAndFollow } from '../../run/follow-run';
import { withPortolan } from '../../terminal/with-portolan';
import { perform } from '../../terminal/globals';
import { argumentHelp } from '../../terminal/argument-help';
import { noWaitOption, reasonOption, requestIdOption, timeoutOption } from '../../terminal/run-options';

/** `portolan promote PIPELINE --to STAGE`: promotes a release to a stage. */
export const promoteStartCommand = () =>
  new Command('start')
    .description(
      'Promote a release to a stage.\n\nShows one plan for all groups, settings and categories, asks for approval, then imports and verifies each group in a child run. The release must have been current and verified in the previous stage for the soak time.',
    )
    .argument('<pipeline>', argumentHelp.pipeline)
    .requiredOption('--to <stage>', argumentHelp.stage)
    .option('--release <release>', 'Release to promote (default: current release of the previous stage)')
    .option('--at-soak', 'Start now, then wait for the soak time to end')
    .option('--hotfix', 'Skip stage order and soak time (policy still applies; needs --reason)')
    .option('--plan-only', 'Stop after the plan')
    .option('--exit-code', 'With --plan-only: exit 20 if it has changes')
    .option('--yes', 'Approve the plan')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action((pipeline, { wait, timeout: timeoutMs, requestId, exitCode, ...flags }, command) =>
      perform(command, (output, globals) => {
        if (exitCode && !flags.planOnly)
          throw new PortolanError('USAGE', '--exit-code needs --plan-only.', {
            hint: 'See: portolan promote start --help',
          });
        return withPortolan(globals, (portolan) => {
          const start = { what: 'promotion' as const, request: { pipeline, ...flags } };
          return startAndFollow(portolan, output, start, {
            wait,
            timeoutMs,
            requestId,
            statusOf: exitCode ? planStatus : undefined,
          });
        });
      }),
    );
