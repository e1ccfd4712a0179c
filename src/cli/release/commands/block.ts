import { Command } from '@commander-js/extra-typings';
import { act } from '../../terminal/act';
import { argumentHelp, reasonArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan release block`: keeps a release from every further stage. */
export const releaseBlockCommand = () =>
  new Command('block')
    .description(
      'Keep a release from every further stage until it is unblocked.\n\nApplies to its content: a release with the same sha256 is blocked too. A promotion that has not written anything yet is refused; one that has begun finishes. Stages that have the release keep it, and can be rolled back.',
    )
    .addHelpText(...examples('latest:traffic --reason "wrong speed limits"'))
    .argument('<release>', argumentHelp.release)
    .requiredOption('--reason <text>', 'Reason, shown wherever the release is offered', reasonArgument)
    .action(
      act(async ({ portolan, output }, release, { reason }) => {
        const blocked = await portolan.blockRelease({ release, reason });
        const { id } = blocked;
        output.show(blocked, () => `${id} is blocked\nunblock  portolan release unblock ${id}`);
      }),
    );

/** `portolan release unblock`: allows a release to be promoted again. */
export const releaseUnblockCommand = () =>
  new Command('unblock')
    .description('Allow a release to be promoted again.')
    .addHelpText(...examples('latest:traffic --reason "fixed by hand"'))
    .argument('<release>', argumentHelp.release)
    .option('--reason <text>', 'Reason, shown in the audit log', reasonArgument)
    .action(
      act(async ({ portolan, output }, release, { reason }) => {
        const unblocked = await portolan.unblockRelease({ release, reason });
        const { id, wasBlocked } = unblocked;
        output.show(unblocked, () => (wasBlocked ? `${id} is unblocked` : `${id} was not blocked`));
      }),
    );
