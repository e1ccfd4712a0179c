import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { snapshotShow } from '../render/snapshot-show';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan snapshot show`: everything known about a snapshot, with its items. */
export const snapshotShowCommand = () =>
  new Command('show')
    .description('Show a snapshot and each of its items.')
    .argument('<snapshot>', argumentHelp.snapshot)
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const detail = await withStoredPortolan(globals, ({ snapshots }) => snapshots.show(text));
        const { snapshotView } = await import('../../../service/snapshot/snapshot-line.js');
        const { pin, proofs, confirmed, problems, items: _items, ...manifest } = detail;
        const view = snapshotView({ manifest, pin, proofs, confirmed, problems }, Date.now());
        output.show(detail, (style) => snapshotShow(detail, view, style));
        return exitStatus.done;
      }),
    );
