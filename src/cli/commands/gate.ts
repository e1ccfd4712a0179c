import { Command } from '@commander-js/extra-typings';
import { gateListCommand } from './gate-list';
import { gateReleaseCommand } from './gate-release';

/** `portolan gate`: look at the gates of the portals, and free one by hand. */
export const gateCommand = () =>
  new Command('gate')
    .summary('who exports from and imports into which portal, and who waits')
    .description(
      'Each portal is given so many exports and imports at a time (atOnce); other runs stand in line at its gates.',
    )
    .addCommand(gateListCommand())
    .addCommand(gateReleaseCommand());
