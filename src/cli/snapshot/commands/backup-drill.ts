import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { resolveDrill } from '../../../config/resolve-route';
import type { DrillInput } from '../../../model/run/snapshot-input';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { findSnapshot } from '../../../domain/snapshot/find-snapshot';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { type RunStart, startRun } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { withSources } from '../../../service/run/run-sources';
import { startAndFollow } from '../../run/follow-run';

/** `portolan backup drill`: shows that a snapshot can be restored. */
export const backupDrillCommand = () =>
  new Command('drill')
    .description(
      "Uploads the route's last good snapshot to the portal that the route names for drills, has it read the whole package, and removes it again: the snapshot is previewed. With --import it is imported as well, checked item by item, and taken away again: only into a portal that portolan.yaml marks with role: scratch, and only where none of its items exists.",
    )
    .argument('<route>', 'name of a route in portolan.yaml')
    .option('--snapshot <id>', 'another snapshot of it')
    .option('--import', 'import too, and take away again what was imported')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the record')
    .action((name, { snapshot, import: imports, wait, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const route = resolveDrill(config, name);
        return withSources(config, async (sources) => {
          const snapshotId = snapshot && (await findSnapshot(openSnapshots(config, sources.store), snapshot));
          const workers = await requireAbleWorkers(sources, [route.target.portal]);
          const start: RunStart<DrillInput> = {
            ...{ route, yes: false, requestId, reason },
            ...{ snapshotId, import: imports },
          };
          return startAndFollow(sources, output, () => startRun('drill', sources, start), {
            route,
            wait,
            workers,
            timeoutMs,
          });
        });
      }),
    );
