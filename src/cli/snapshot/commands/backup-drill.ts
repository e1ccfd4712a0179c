import { Command } from '@commander-js/extra-typings';
import { durationArgument, reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withPortolan } from '../../terminal/with-portolan';
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
    .option('--reason <text>', 'why; kept in the record', reasonArgument)
    .action((route, { wait, timeout: timeoutMs, requestId, ...flags }, command) =>
      perform(command, (output, globals) =>
        withPortolan(globals, (portolan) => {
          const start = { what: 'drill' as const, request: { route, ...flags } };
          return startAndFollow(portolan, output, start, { wait, timeoutMs, requestId });
        }),
      ),
    );
