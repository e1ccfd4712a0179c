import { Command } from '@commander-js/extra-typings';
import { runApproveCommand } from './run-approve';
import { runCancelCommand } from './run-cancel';
import { runListCommand } from './run-list';
import { runRejectCommand } from './run-reject';
import { runResumeCommand } from './run-resume';
import { runShowCommand } from './run-show';
import { runWatchCommand } from './run-watch';

/** `portolan run`: look at runs and answer them. */
export const runCommand = () =>
  new Command('run')
    .summary('look at runs, approve, reject, resume and cancel them')
    .description('Looks at runs and answers them. A run is named by its id, an end of it, or "latest".')
    .addCommand(runListCommand())
    .addCommand(runShowCommand())
    .addCommand(runWatchCommand())
    .addCommand(runApproveCommand())
    .addCommand(runRejectCommand())
    .addCommand(runResumeCommand())
    .addCommand(runCancelCommand());
