import { Command } from '@commander-js/extra-typings';
import { startAndFollow, statusWith } from '../../run/follow-run';
import { act } from '../../terminal/act';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan promote PIPELINE --to STAGE`: promotes a release to a stage. */
export const promoteStartCommand = () =>
  new Command('start')
    .description(
      'Promote a release to a stage.\n\nShows one plan for all groups, settings and categories, asks for approval, then imports and verifies each group in a child run. The release must have been current and verified in the previous stage for the soak time.',
    )
    .addHelpText(
      ...examples('traffic --to production --plan-only --exit-code', 'traffic --to production --yes'),
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
    .action(
      act((session, pipeline, { to: stage, wait, timeout, requestId, exitCode, ...flags }, command) => {
        const statusOf = statusWith(command, { exitCode, ...flags });
        return startAndFollow(
          session,
          (how) => session.portolan.startPromotion({ pipeline, stage, ...flags }, how),
          { wait, timeout, requestId, statusOf },
        );
      }),
    );
