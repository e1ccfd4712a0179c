import { Command } from '@commander-js/extra-typings';
import { addressOfRun } from '../../../config/page-address';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { knownPage } from '../../terminal/known-page';
import { openPage } from '../../terminal/open-page';
import { withReadablePortolan } from '../../terminal/with-portolan';

/** `portolan open`: the page, in a browser. */
export const openCommand = () =>
  new Command('open')
    .summary('the page, in a browser')
    .description(
      'Opens the page in the browser of this machine: what goes on now, or one run. Its address is that of the server that is asked, else serve.url, else where "up" has it here. The address is printed in any case; where no terminal reads it, nothing is opened.',
    )
    .argument('[run]', 'id, an end of it, or latest; without one, what goes on now')
    .action((text, _options, command) =>
      perform(command, async (output, globals) => {
        const page = (await knownPage(globals)) ?? noPage();
        const seek = async (run: string): Promise<string> =>
          (await withReadablePortolan(globals, (portolan) => portolan.seekRun(run))).record.runId;
        const address = `${page}${text === undefined ? '/' : addressOfRun(await seek(text))}`;
        output.show({ address }, () => address);
        if (process.stdout.isTTY) await openPage(address);
        return exitStatus.done;
      }),
    );

function noPage(): never {
  throw new PortolanError('USAGE', 'Where the page is is not known here.', {
    hint: 'On this machine there is one with: portolan up. Of another, name its address as serve.url of portolan.yaml, or ask it: PORTOLAN_SERVER=https://portolan.example.com portolan open',
  });
}
