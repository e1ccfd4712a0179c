import { Command } from '@commander-js/extra-typings';
import type { Config } from '../../../config/config';
import { loadConfig } from '../../../config/load-config';
import { adhocBackup, resolveBackup } from '../../../config/resolve-route';
import type { BackupInput } from '../../../model/run/snapshot-input';
import { PortolanError } from '../../../model/errors/errors';
import type { RunRoute } from '../../../model/transfer/route';
import type { TaskRef } from '../../../model/portal-change/task-run';
import { durationArgument, repeated, taskArgument } from '../../terminal/arguments';
import { notifyingFailedStart } from '../../run/failed-start';
import { perform } from '../../terminal/globals';
import { type RunStart, startRun } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
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
    .action((name, { from, group, full, force = full, allowShrink = false, tag = [], ...options }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const found = routeOf(config, name, { from, group, taskRun: options.taskRun });
        const route = { ...found, options: { ...found.options, allowShrink } };
        const { wait, timeout: timeoutMs, requestId, reason } = options;
        return notifyingFailedStart(config, route.options.taskRun, output, (begin) =>
          withSources(config, async (sources) => {
            const workers = await requireAbleWorkers(sources, [route.source.portal]);
            const { tags: always = [], fullEveryMs } = config.routes.get(route.name)?.backup ?? {};
            const start: RunStart<BackupInput> = {
              ...{ route, yes: false, requestId, reason, force, fullEveryMs },
              tags: [...always, ...tag],
            };
            return startAndFollow(sources, output, () => begin(() => startRun('backup', sources, start)), {
              route,
              wait,
              workers,
              timeoutMs,
            });
          }),
        );
      }),
    );

/** A route by name, or its one end. */
function routeOf(
  config: Config,
  name: string | undefined,
  { from, group, taskRun }: { readonly from?: string; readonly group?: string; readonly taskRun?: TaskRef },
): RunRoute {
  const usage = (message: string) =>
    new PortolanError('USAGE', message, { hint: 'See: portolan backup create --help' });
  if (name !== undefined) {
    if (from !== undefined || group !== undefined)
      throw usage('Name a route, or --from and --group; not both.');
    return resolveBackup(config, name, { taskRun });
  }
  if (from !== undefined && group !== undefined) return adhocBackup(config, { from, group, taskRun });
  throw usage(
    from === undefined && group === undefined ? 'Name a route.' : '--from and --group go together.',
  );
}
