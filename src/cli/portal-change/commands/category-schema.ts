import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  export: async () => (await import('./category-schema-export.js')).categorySchemaExportCommand(),
  diff: async () => (await import('./category-schema-diff.js')).categorySchemaDiffCommand(),
  apply: async () => (await import('./category-schema-apply.js')).categorySchemaApplyCommand(),
  delete: async () => (await import('./category-schema-delete.js')).categorySchemaDeleteCommand(),
};

/** `portolan category-schema`: the categories under which a portal's items are filed. */
export async function categorySchemaCommand(word?: string) {
  const command = new Command('category-schema')
    .summary("the categories under which a portal's items are filed")
    .description(
      "Writes a portal's category schema to a file, compares the two, puts a file or what was there before back, or takes the schema away.",
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
