import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  create: async () => (await import('./backup-create.js')).backupCreateCommand(),
  drill: async () => (await import('./backup-drill.js')).backupDrillCommand(),
};

/** `portolan backup`: keep a group's content, and see that it can be restored. */
export async function backupCommand(word?: string) {
  const command = new Command('backup')
    .summary("keep a group's content as a snapshot, and see that it can be restored")
    .description("Keeps a group's content as a snapshot in the store, and shows that it can be restored.");
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
