import { Command } from '@commander-js/extra-typings';
import { startAndFollow } from '../../run/follow-run';
import { withPortolan } from '../../terminal/with-portolan';
import { durationArgument, reasonArgument } from '../../terminal/arguments';
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
    .option('--reason <text>', 'why; kept in the release', reasonArgument)
    .action((pipeline, { wait, timeout: timeoutMs, requestId, reason }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, (portolan) => {
          const start = { what: 'release' as const, request: { pipeline, reason } };
          return startAndFollow(portolan, output, start, { wait, timeoutMs, requestId });
        }),
      ),
    );
