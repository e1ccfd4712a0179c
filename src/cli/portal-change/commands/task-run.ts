import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  update: async () => (await import('./task-run-update.js')).taskRunUpdateCommand(),
};

/** `portolan task-run`: what the runs of a portal's scheduled tasks say. */
export async function taskRunCommand(word?: string) {
  const command = new Command('task-run')
    .summary("what the runs of a portal's scheduled tasks say")
    .description(
      "Sets what a run of a portal's scheduled task says. A sync or backup that is bound to a task (--task-run, or taskRun of its route) does so by itself.",
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
