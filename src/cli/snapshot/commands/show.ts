import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { findSnapshot } from '../../../domain/snapshot/find-snapshot';
import { readKnown } from '../../../domain/snapshot/list-snapshots';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { perform } from '../../terminal/globals';
import { snapshotShow } from '../render/snapshot-show';
import { snapshotView } from '../../../service/snapshot/snapshot-view';

/** `portolan snapshot show`: everything that is known of a snapshot, with each of its items. */
export const snapshotShowCommand = () =>
  new Command('show')
    .description('Shows everything that is known of a snapshot, and each of its items.')
    .argument('<snapshot>', 'id, an end of it, latest, or latest:ROUTE')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const snapshots = openSnapshots(loadConfig(globals.config));
        const known = await readKnown(snapshots, await findSnapshot(snapshots, text));
        const rows = await snapshots.rowsOf(known.manifest);
        const { manifest, pin, proofs, confirmed, problems } = known;
        output.show({ ...manifest, pin, proofs, confirmed, problems, items: rows }, (style) =>
          snapshotShow(known, snapshotView(known, Date.now()), rows, style),
        );
        return exitStatus.done;
      }),
    );
