import { Command } from '@commander-js/extra-typings';
import { forgetSignIn } from '../../../client/credentials';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { meantServer } from '../select-server';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan logout`: deletes the saved token. */
export const logoutCommand = () =>
  new Command('logout')
    .description(
      'Sign out of a Portolan server.\n\nDeletes the saved token. Copies of it stay valid until they expire.',
    )
    .addHelpText(...examples('https://portolan.example.com'))
    .argument('[server]', argumentHelp.server)
    .action((typed, _options, command) =>
      perform(command, async (output, globals) => {
        const server = meantServer(typed, globals);
        const was = await forgetSignIn(server);
        output.show({ server: server.url, was: was?.who }, () => [
          {
            lines: [
              was
                ? `signed out of ${server.url}, where you were ${was.who}`
                : `you were not signed in to ${server.url} here`,
            ],
          },
        ]);
        return exitStatus.done;
      }),
    );
