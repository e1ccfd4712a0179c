import { Command } from '@commander-js/extra-typings';
import { forgetSignIn } from '../../../client/credentials';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { perform } from '../../terminal/globals';
import { meantServer } from '../meant-server';

/** `portolan logout`: what a login has left on this machine goes. */
export const logoutCommand = () =>
  new Command('logout')
    .summary('forget who has signed in to a portolan serve')
    .description(
      'Removes from this machine what portolan login has kept for a server. What somebody may have copied of it before is good until it is over.',
    )
    .argument('[server]', 'its address; without one, PORTOLAN_SERVER or the server of the file')
    .action((typed, _options, command) =>
      perform(command, async (output, globals) => {
        const server = meantServer(typed, globals);
        const was = await forgetSignIn(server);
        output.show({ server: server.url, was: was?.who }, () =>
          was
            ? `signed out of ${server.url}, where you were ${oneLine(was.who)}`
            : `nobody had signed in to ${server.url} here`,
        );
        return exitStatus.done;
      }),
    );
