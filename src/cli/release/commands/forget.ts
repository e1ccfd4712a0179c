import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { perform } from '../../terminal/globals';
import { askYes } from '../../terminal/prompts';
import { withReadablePortolan } from '../../terminal/with-portolan';

/** `portolan release forget`: removes a release; its snapshots stay. */
export const releaseForgetCommand = () =>
  new Command('forget')
    .description(
      'Forgets a release. Its snapshots stay, and may be forgotten from then on. A release is not forgotten while it is pinned, stands in a stage, or is being promoted.',
    )
    .argument('<release>', 'id, an end of it, latest, or latest:PIPELINE')
    .option('--yes', 'does not ask')
    .action((text, { yes }, command) =>
      perform(command, (output, globals) =>
        withReadablePortolan(globals, async ({ releases }) => {
          const { id } = await releases.forget(text, { dryRun: true });
          const isMeant =
            yes === true ||
            (await askYes(`Forget release ${id}?`, {
              what: 'Nobody said yes to this, and nothing was forgotten.',
              hint: `To forget it: portolan release forget ${id} --yes`,
            }));
          if (!isMeant) {
            output.show({ id, forgotten: false }, () => 'No release forgotten.');
            return exitStatus.cancelled;
          }
          const gone = await releases.forget(id, { dryRun: false });
          output.show(gone, () => `forgot   ${id}\nkept     its snapshots: portolan snapshot list`);
          return exitStatus.done;
        }),
      ),
    );
