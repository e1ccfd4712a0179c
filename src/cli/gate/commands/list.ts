import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { exitStatus } from '../../../model/errors/error-codes';
import { readGates } from '../../../service/gate/gates';
import { perform } from '../../terminal/globals';
import { gateTable } from '../render/gates';
import { withTemporal } from '../../../temporal/session';

/** `portolan gate list`: who holds the gates of the portals, since when, and who waits; needs no worker. */
export const gateListCommand = () =>
  new Command('list')
    .description(
      'Lists both gates of every portal: who holds them, since when, and who waits, in their order.',
    )
    .action((_options, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const gates = await withTemporal(config, (temporal) => readGates(temporal, config));
        output.showList(gates, (style) => gateTable(gates, style));
        return exitStatus.done;
      }),
    );
