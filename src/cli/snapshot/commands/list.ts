import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { snapshotListTable } from '../render/snapshot-list';
import { again } from '../../terminal/typed-options';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { countOf } from '../../../model/text/words';

/** `portolan snapshot list`: snapshots, readable or not, and the state of each route's backups. */
export const snapshotListCommand = () =>
  new Command('list')
    .description(
      "List snapshots, newest first.\n\nAlso shows each route's last good snapshot, its age, and the last proven one.",
    )
    .option('--route <name>', 'Only snapshots of this route')
    .option('--tag <tag>', 'Only snapshots with this tag')
    .option('--safeguards', 'Include safeguards')
    .action(({ route, tag, safeguards }, command) =>
      perform(command, async (output, globals) => {
        const asked = { route, tag, safeguards };
        const listed = await withStoredPortolan(globals, ({ snapshots }) => snapshots.list(asked));
        const { snapshots, routes, hidden = 0 } = listed;
        if (output.format === 'ndjson') {
          for (const each of snapshots) output.event({ snapshot: each });
          for (const each of routes) output.event({ route: each });
        } else {
          const readable = snapshots.flatMap((each) => ('unreadable' in each ? [] : [each]));
          const unreadable = snapshots.flatMap((each) => ('unreadable' in each ? [each] : []));
          output.show({ snapshots, routes }, (style) =>
            snapshotListTable(readable, unreadable, routes, style),
          );
        }
        if (hidden > 0)
          output.note(
            `note  ${countOf(hidden, 'safeguard')} not listed; with them: ${again(command, { safeguards: true })}`,
          );
        return exitStatus.done;
      }),
    );
