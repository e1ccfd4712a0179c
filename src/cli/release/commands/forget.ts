import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import { askYes } from '../../terminal/prompts';
import { examples } from '../../terminal/help';

/** `portolan release forget`: removes a release; its snapshots stay. */
export const releaseForgetCommand = () =>
  new Command('forget')
    .description(
      'Forget a release.\n\nIts snapshots stay and can then be forgotten. Refused while the release is pinned, current in a stage, or being promoted.',
    )
    .addHelpText(...examples('m4wd --yes'))
    .argument('<release>', argumentHelp.release)
    .option('--yes', 'Do not ask')
    .action(
      act(async ({ portolan, output }, release, { yes }) => {
        const { id } = await portolan.forgetRelease({ release, dryRun: true });
        const isMeant =
          yes === true ||
          (await askYes(`Forget release ${id}?`, {
            what: 'This needs confirmation; nothing was forgotten.',
            hint: `To forget it: portolan release forget ${id} --yes`,
          }));
        if (!isMeant) {
          output.show({ id, forgotten: false }, () => 'No release forgotten.');
          return exitStatus.cancelled;
        }
        const gone = await portolan.forgetRelease({ release: id });
        output.show(gone, () => `forgot   ${id}\nkept     its snapshots: portolan snapshot list`);
        return exitStatus.done;
      }),
    );
