import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { resolveRelease } from '../../../config/resolve-pipeline';
import type { ReleaseInput } from '../../../model/release/release-input';
import { requireAbleWorkers } from '../../../service/run/able-workers';
import { startAndFollow } from '../../run/follow-run';
import { withSources } from '../../../service/run/run-sources';
import { type RunStart, startRun } from '../../../service/run/start-run';
import { durationArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';

/** `portolan release create`: what a pipeline's first stage holds now, as one thing that never changes. */
export const releaseCreateCommand = () =>
  new Command('create')
    .summary("make a release of what a pipeline's first stage holds now")
    .description(
      "Makes a release: a snapshot of each group of the pipeline's first stage, and with them the portal's settings and category schema where the pipeline says so. It never changes afterwards, and is there once all of it is. A group of which nothing has changed since its last whole snapshot is not exported again. Writes nothing on the portal that stays.",
    )
    .argument('<pipeline>', 'name of a pipeline in portolan.yaml')
    .option('--no-wait', 'print the record as it stands and end once the run is accepted')
    .option('--timeout <duration>', 'end the waiting after that long (124), never the run', durationArgument)
    .option('--request-id <key>', 'the same key twice is the same run')
    .option('--reason <text>', 'why; kept in the release')
    .action((name, { wait, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) => {
        const config = loadConfig(globals.config);
        const { route, ...release } = resolveRelease(config, name);
        return withSources(config, async (sources) => {
          const workers = await requireAbleWorkers(sources, [route.source.portal]);
          const start: RunStart<ReleaseInput> = { route, ...release, yes: false, requestId, reason };
          return startAndFollow(sources, output, () => startRun('release', sources, start), {
            ...{ route, wait, workers, timeoutMs },
          });
        });
      }),
    );
