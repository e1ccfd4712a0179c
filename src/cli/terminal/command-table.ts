import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** Commands by name, each of which is loaded when it is asked for: what the others need would double its start. */
export type CommandTable = Readonly<Record<string, () => Promise<CommandUnknownOpts>>>;

/** The command that a word of the command line names; where it names none, all of them, for the help. */
export async function loadCommands(
  table: CommandTable,
  word: string | undefined,
): Promise<CommandUnknownOpts[]> {
  const named = word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
  return await Promise.all((named ? [named] : Object.values(table)).map((load) => load()));
}
