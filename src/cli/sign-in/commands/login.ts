import { Command } from '@commander-js/extra-typings';
import { signIn } from '../../../client/login';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { perform } from '../../terminal/globals';
import { openPage } from '../../terminal/web-page';
import { meantServer } from '../select-server';
import { argumentHelp } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan login`: signs a person in to a server, in a browser. */
export const loginCommand = () =>
  new Command('login')
    .description(
      'Sign in to a Portolan server.\n\nOpens a browser at the portal that the server uses for sign-in, and saves the token in $XDG_CONFIG_HOME/portolan/credentials.json, for your user only. PORTOLAN_KEY takes precedence over it.',
    )
    .addHelpText(...examples('http://127.0.0.1:8350 --no-browser', ''))
    .argument('[server]', argumentHelp.server)
    .option('--no-browser', 'Only print the sign-in address')
    .action((typed, { browser }, command) =>
      perform(command, async (output, globals) => {
        const server = meantServer(typed, globals);
        const { who, expiresAt } = await signIn(server, async (address) => {
          output.note(`Sign in at this address, in a browser of this machine:\n  ${address}`);
          if (!browser) return;
          await openPage(address).catch((thrown: unknown) => output.warnOf(PortolanError.from(thrown)));
        });
        output.show({ server: server.url, who, expiresAt }, () => [
          {
            title: [`signed in to ${server.url} as ${who}, until `, { time: expiresAt }],
            facts: [['use', typed && `export PORTOLAN_SERVER=${server.url}`]],
          },
        ]);
        return exitStatus.done;
      }),
    );
