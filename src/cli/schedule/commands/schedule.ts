import { Command } from '@commander-js/extra-typings';
import { type CommandTable, loadCommands } from '../../terminal/command-table';

const table: CommandTable = {
  list: async () => (await import('./list.js')).scheduleListCommand(),
  show: async () => (await import('./show.js')).scheduleShowCommand(),
  apply: async () => (await import('./apply.js')).scheduleApplyCommand(),
  pause: async () => (await import('./pause.js')).schedulePauseCommand(),
  resume: async () => (await import('./resume.js')).scheduleResumeCommand(),
  trigger: async () => (await import('./trigger.js')).scheduleTriggerCommand(),
  backfill: async () => (await import('./backfill.js')).scheduleBackfillCommand(),
};

/** `portolan schedule`: what is started by the clock. */
export async function scheduleCommand(word?: string) {
  const command = new Command('schedule')
    .summary('what is started by the clock')
    .description(
      'Backups, syncs and drills that are started by the clock. They are written in portolan.yaml and brought to Temporal with "schedule apply"; there they need no command and no worker to be due.',
    );
  for (const below of await loadCommands(table, word)) command.addCommand(below);
  return command;
}
