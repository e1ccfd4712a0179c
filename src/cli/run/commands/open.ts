import { Command } from '@commander-js/extra-typings';
import { addressOfRun } from '../../../config/page-address';
import { PortolanError } from '../../../model/errors/errors';
import { act } from '../../terminal/act';
import { knownPage, openPage } from '../../terminal/web-page';
import { examples } from '../../terminal/help';

/** `portolan open`: opens the web UI in a browser. */
export const openCommand = () =>
  new Command('open')
    .description(
      "Open the web UI in a browser.\n\nUses the configured server, else serve.url, else the web UI of 'up' on this machine. Prints the address; opens it only at a terminal.",
    )
    .addHelpText(...examples('', 'latest'))
    .argument('[run]', "Run to open: ID, unique ID suffix or 'latest'")
    .action(
      act(async ({ portolan, output, globals }, run) => {
        const page = (await knownPage(globals)) ?? noPage();
        const path = run === undefined ? '/' : addressOfRun((await portolan.viewRun({ run })).record.runId);
        const address = `${page}${path}`;
        output.show({ address }, () => address);
        if (output.terminal.stdout.isTTY) await openPage(address);
      }),
    );

function noPage(): never {
  throw new PortolanError('USAGE', 'The address of the web UI is unknown here.', {
    hint: 'To start one on this machine: portolan up. For another, set serve.url in portolan.yaml, or name its server: PORTOLAN_SERVER=https://portolan.example.com portolan open',
  });
}
