import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  list: async () => (await import('./list.js')).gateListCommand(),
  release: async () => (await import('./release.js')).gateReleaseCommand(),
};

/** `portolan gate`: look at the gates of the portals, and free one by hand. */
export async function gateCommand(word?: string) {
  const command = new Command('gate')
    .summary('who exports from and imports into which portal, and who waits')
    .description(
      'Each portal is given so many exports and imports at a time (atOnce); other runs stand in line at its gates.',
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
