import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  list: async () => (await import('./list.js')).runListCommand(),
  show: async () => (await import('./show.js')).runShowCommand(),
  watch: async () => (await import('./watch.js')).runWatchCommand(),
  approve: async () => (await import('./approve.js')).runApproveCommand(),
  reject: async () => (await import('./reject.js')).runRejectCommand(),
  resume: async () => (await import('./resume.js')).runResumeCommand(),
  restart: async () => (await import('./restart.js')).runRestartCommand(),
  rollback: async () => (await import('./rollback.js')).runRollbackCommand(),
  retry: async () => (await import('./retry.js')).runRetryCommand(),
  cancel: async () => (await import('./cancel.js')).runCancelCommand(),
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
