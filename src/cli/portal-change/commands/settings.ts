import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  export: async () => (await import('./settings-export.js')).settingsExportCommand(),
  diff: async () => (await import('./settings-diff.js')).settingsDiffCommand(),
  apply: async () => (await import('./settings-apply.js')).settingsApplyCommand(),
  promote: async () => (await import('./settings-promote.js')).settingsPromoteCommand(),
};

/** `portolan settings`: notices, banner and properties of a portal, as a file. */
export async function settingsCommand(word?: string) {
  const command = new Command('settings')
    .summary('notices, banner and properties of a portal, as a file')
    .description(
      "A portal's access notices, its banner and its properties as a file that can be compared, applied and carried to another portal. What a file leaves out stays as it is, and null clears. docs/reference/settings.md has every setting.",
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
