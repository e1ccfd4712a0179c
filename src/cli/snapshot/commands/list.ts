import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { listSnapshots } from '../../../domain/snapshot/list-snapshots';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { routeStates } from '../../../domain/snapshot/retention/route-state';
import { perform } from '../../terminal/globals';
import { snapshotListTable } from '../render/snapshot-list';
import { optionsText } from '../../terminal/typed-options';
import { countOf } from '../../../model/text/words';
import { snapshotView, unreadableViews } from '../../../service/snapshot/snapshot-view';

/** `portolan snapshot list`: what the store holds, readable or not, and how well each route is backed up. */
export const snapshotListCommand = () =>
  new Command('list')
    .description(
      'Lists snapshots, newest first, and of each route the last good one, its age, and the last that was proven restorable.',
    )
    .option('--route <name>', 'snapshots of this route')
    .option('--tag <tag>', 'snapshots with this tag')
    .option('--safeguards', 'safeguards too: what imports were about to overwrite')
    .action(({ route, tag, safeguards }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const now = Date.now();
        const listing = await listSnapshots(openSnapshots(config), now);
        const ofRoute = listing.readable.filter(
          ({ manifest }) => route === undefined || manifest.route === route,
        );
        const tagged = ofRoute.filter(({ manifest }) => tag === undefined || manifest.tags.includes(tag));
        const shown = tagged.filter(({ manifest }) => safeguards || manifest.kind === 'backup');
        const maxAges = new Map([...config.routes].map(([name, { backup }]) => [name, backup.maxAgeMs]));
        const routes = routeStates(ofRoute, maxAges, now).filter(
          (each) => route === undefined || each.route === route,
        );
        const snapshots = shown.map((snapshot) => snapshotView(snapshot, now));
        const unreadable = unreadableViews(listing);
        if (output.format === 'ndjson') {
          for (const each of [...snapshots, ...unreadable]) output.event({ snapshot: each });
          for (const each of routes) output.event({ route: each });
        } else {
          output.show({ snapshots: [...snapshots, ...unreadable], routes }, (style) =>
            snapshotListTable(snapshots, unreadable, routes, style),
          );
        }
        const hidden = tagged.length - shown.length;
        if (hidden > 0)
          output.note(
            `note  ${countOf(hidden, 'safeguard')} not listed; with them: portolan snapshot list --safeguards${optionsText({ route, tag })}`,
          );
        return exitStatus.done;
      }),
    );
