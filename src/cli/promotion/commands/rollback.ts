import { Command } from '@commander-js/extra-typings';
import { act } from '../../terminal/act';
import { startAndFollow } from '../../run/follow-run';
import {
  argumentHelp,
  noWaitOption,
  reasonOption,
  requestIdOption,
  timeoutOption,
} from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan promote rollback`: restores a stage to its state before the last promotion. */
export const promoteRollbackCommand = () =>
  new Command('rollback')
    .description(
      'Restore a stage to its state before the last promotion.\n\nStarts with the last group: restores overwritten items from the safeguards, deletes created ones, and resets settings and categories. Items edited since are listed and kept, and the stage counts as failed. A promotion parked there is ended first.',
    )
    .addHelpText(...examples('traffic production --reason "an app is broken" --yes'))
    .argument('<pipeline>', argumentHelp.pipeline)
    .argument('<stage>', argumentHelp.stage)
    .option('--overwrite-edits', 'Restore overwritten items even if edited since')
    .option('--yes', 'Approve the rollback')
    .addOption(noWaitOption())
    .addOption(timeoutOption())
    .addOption(requestIdOption())
    .addOption(reasonOption())
    .action(
      act((session, pipeline, stage, { wait, timeout, requestId, ...flags }) =>
        startAndFollow(session, (how) => session.portolan.rollBackStage({ pipeline, stage, ...flags }, how), {
          wait,
          timeout,
          requestId,
        }),
      ),
    );
