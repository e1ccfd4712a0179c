import { Command } from '@commander-js/extra-typings';
import { runApproveCommand } from './run-approve';
import { runCancelCommand } from './run-cancel';
import { runListCommand } from './run-list';
import { runRejectCommand } from './run-reject';
import { runRestartCommand } from './run-restart';
import { runResumeCommand } from './run-resume';
import { runRetryCommand } from './run-retry';
import { runShowCommand } from './run-show';
import { runWatchCommand } from './run-watch';

/** `portolan run`: look at runs and answer them. */
export const runCommand = () =>
  new Command('run')
    .summary('look at runs, answer them, and do them again')
    .description(
      'Looks at runs, answers them, and does again what went wrong. A run is named by its id, an end of it, or "latest".',
    )
    .addCommand(runListCommand())
    .addCommand(runShowCommand())
    .addCommand(runWatchCommand())
    .addCommand(runApproveCommand())
    .addCommand(runRejectCommand())
    .addCommand(runResumeCommand())
    .addCommand(runRestartCommand())
    .addCommand(runRetryCommand())
    .addCommand(runCancelCommand());
