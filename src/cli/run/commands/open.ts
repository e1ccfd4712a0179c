import { Command } from '@commander-js/extra-typings';
import { addressOfRun } from '../../../config/page-address';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { knownPage } from '../../terminal/known-page';
import { openPage } from '../../terminal/open-page';
import { withReadablePortolan } from '../../terminal/with-portolan';

/** `portolan open`: opens the web UI in a browser. */
export const openCommand = () =>
  new Command('open')
    .description(
      "Open the web UI in a browser.\n\nUses the configured server, else serve.url, else the web UI of 'up' on this machine. Prints the address; opens it only at a terminal.",
    )
    .argument('[run]', "Run to open: ID, unique ID suffix or 'latest'")
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const page = (await knownPage(globals)) ?? noPage();
        const seek = async (run: string): Promise<string> =>
          (await withReadablePortolan(globals, (portolan) => portolan.resolveRun(run))).record.runId;
        const address = `${page}${text === undefined ? '/' : addressOfRun(await seek(text))}`;
        output.show({ address }, () => address);
        if (process.stdout.isTTY) await openPage(address);
        return exitStatus.done;
      }),
    );

function noPage(): never {
  throw new PortolanError('USAGE', 'The address of the web UI is unknown here.', {
    hint: 'To start one on this machine: portolan up. For another, set serve.url in portolan.yaml, or name its server: PORTOLAN_SERVER=https://portolan.example.com portolan open',
  });
}
