import { Command } from '@commander-js/extra-typings';
import { durationArgument, reasonArgument, repeated, taskArgument } from '../../terminal/arguments';
import { startBound } from '../../run/start-bound';
import { perform } from '../../terminal/globals';
import type { BackupRequest } from '../../../service/start/backup';

/** `portolan backup create`: a snapshot of a group. */
export const backupCreateCommand = () =>
  new Command('create')
    .description(
      "Exports a group on its portal and keeps the package in the store as a snapshot. Where nothing has changed since the route's last good snapshot, nothing is exported, and that one is named.",
    )
    .argument('[route]', 'name of a route in portolan.yaml: its source is backed up')
    .option('--from <portal>', 'portal, in place of a route')
    .option('--group <id>', 'its group')
    .option('--full', 'export everything, also what lies in an earlier package as it is')
    .option('--force', 'the same as --full: export even where nothing has changed')
    .option('--allow-shrink', 'the group may have lost over half of its items since the last backup')
    .option('--tag <text>', 'carried by the snapshot; can be repeated', repeated)
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .option(
      '--task-run <task>',
      'notify this scheduled task of a portal: PORTAL/USER/TASK[/RUN]',
      taskArgument,
    )
    .action((name, { wait, timeout: timeoutMs, requestId, force, full = force, tag, ...flags }, command) =>
      perform(command, (output, globals) => {
        const request: BackupRequest = { route: name, full, tags: tag, ...flags };
        return startBound(globals, output, { what: 'backup', request }, { wait, timeoutMs, requestId });
      }),
    );
