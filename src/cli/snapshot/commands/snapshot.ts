import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  list: async () => (await import('./list.js')).snapshotListCommand(),
  show: async () => (await import('./show.js')).snapshotShowCommand(),
  verify: async () => (await import('./verify.js')).snapshotVerifyCommand(),
  diff: async () => (await import('./diff.js')).snapshotDiffCommand(),
  pin: async () => (await import('./pin.js')).snapshotPinCommand(),
  unpin: async () => (await import('./unpin.js')).snapshotUnpinCommand(),
  forget: async () => (await import('./forget.js')).snapshotForgetCommand(),
  export: async () => (await import('./export.js')).snapshotExportCommand(),
  import: async () => (await import('./import.js')).snapshotImportCommand(),
  keygen: async () => (await import('./keygen.js')).snapshotKeygenCommand(),
};

/** `portolan snapshot`: what the store holds, and what becomes of it. */
export async function snapshotCommand(word?: string) {
  const command = new Command('snapshot')
    .summary('look at snapshots, verify, compare, keep and forget them')
    .description(
      'Looks at snapshots, verifies and compares them, keeps and forgets them, and carries them to other stores. A snapshot is named by its id, an end of it, "latest", or "latest:ROUTE".',
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
