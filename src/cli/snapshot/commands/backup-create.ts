import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { durationArgument, repeated, taskArgument } from '../../terminal/arguments';
import { notifyingFailedStart } from '../../run/failed-start';
import { perform } from '../../terminal/globals';
import { type BackupRequest, prepareBackup, routeToBackUp } from '../../../service/start/backup';
import { withSources } from '../../../service/run/run-sources';
import { startAndFollow } from '../../run/follow-run';

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
    .option('--reason <text>', 'why; kept in the record')
    .option(
      '--task-run <task>',
      'notify this scheduled task of a portal: PORTAL/USER/TASK[/RUN]',
      taskArgument,
    )
    .action((name, { wait, timeout: timeoutMs, requestId, force, full = force, tag, ...flags }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const request: BackupRequest = { route: name, full, tags: tag, ...flags };
        const { taskRun } = routeToBackUp(config, request).options;
        return notifyingFailedStart(config, taskRun, output, (starting) =>
          withSources(config, async (sources) => {
            const prepared = await prepareBackup(sources, request, { requestId });
            return startAndFollow(sources, output, starting(prepared), { wait, timeoutMs });
          }),
        );
      }),
    );
