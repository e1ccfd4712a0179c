import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../terminal/command-table';

const table: CommandTable = {
  list: async () => (await import('./run-list.js')).runListCommand(),
  show: async () => (await import('./run-show.js')).runShowCommand(),
  watch: async () => (await import('./run-watch.js')).runWatchCommand(),
  approve: async () => (await import('./run-approve.js')).runApproveCommand(),
  reject: async () => (await import('./run-reject.js')).runRejectCommand(),
  resume: async () => (await import('./run-resume.js')).runResumeCommand(),
  restart: async () => (await import('./run-restart.js')).runRestartCommand(),
  rollback: async () => (await import('./run-rollback.js')).runRollbackCommand(),
  retry: async () => (await import('./run-retry.js')).runRetryCommand(),
  cancel: async () => (await import('./run-cancel.js')).runCancelCommand(),
};

/** `portolan run`: look at runs and answer them. */
export async function runCommand(word?: string) {
  const command = new Command('run')
    .summary('look at runs, answer them, and do them again')
    .description(
      'Looks at runs, answers them, and does again what went wrong. A run is named by its id, an end of it, or "latest".',
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
