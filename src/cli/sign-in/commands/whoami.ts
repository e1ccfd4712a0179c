import { Command } from '@commander-js/extra-typings';
import type { Who } from '../../../contract/status';
import { act } from '../../terminal/act';
import { examples } from '../../terminal/help';

/** Sources of an identity, as text. */
const known: Readonly<Record<Who['identity'], string>> = {
  claimed: 'claimed by this machine, unverified',
  key: 'by a key of the server',
  portal: 'signed in at a portal',
};

/** `portolan whoami`: the identity and rights of this user. */
export const whoamiCommand = () =>
  new Command('whoami')
    .description(
      'Show your identity and rights.\n\nWith a local configuration you have all rights; a server grants its own.',
    )
    .addHelpText(...examples(''))
    .action(
      act(async ({ portolan, output }) => {
        const told = await portolan.readWhoami();
        const { who, identity, rights, routes, pipelines, expiresAt } = told;
        const { label, words } = portolan.place;
        const only = (names: readonly string[] | undefined): string =>
          names === undefined ? 'all' : names.join(', ') || 'none';
        output.show(told, () => [
          {
            facts: [
              ['who', who],
              ['known', known[identity]],
              [label, words],
              ['may', rights.join(', ')],
              ['routes', only(routes)],
              ['pipelines', only(pipelines)],
              ['until', expiresAt && { time: expiresAt }],
            ],
          },
        ]);
      }),
    );
