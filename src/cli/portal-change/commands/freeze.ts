import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import type { Unfrozen } from '../../../service/freeze/freeze-view';
import { timeWords } from '../../../model/text/words';
import { argumentHelp } from '../../terminal/argument-help';

/** `portolan freeze`: blocks writes to a portal or stage until it is unfrozen. */
export const freezeCommand = () =>
  new Command('freeze')
    .description(
      'Block writes to a portal or stage.\n\nNew runs are refused; running ones park before they upload or import. Work already in progress on the portal continues. Freezing a stage blocks its groups and what promotions change on its portal.',
    )
    .argument('<portal>', argumentHelp.portalOrStage)
    .requiredOption('--reason <text>', 'Reason, shown with every refusal', reasonArgument)
    .action((portal, { reason }, command) =>
      perform(command, async (output, globals) => {
        const frozen = await withStoredPortolan(globals, ({ freezes }) => freezes.freeze({ portal, reason }));
        output.show(
          frozen,
          () =>
            `frozen   ${portal}: writes are blocked\nunfreeze portolan unfreeze ${portal}\nparked   portolan run list --parked`,
        );
        return exitStatus.done;
      }),
    );

/** `portolan unfreeze`: allows writes again. */
export const unfreezeCommand = () =>
  new Command('unfreeze')
    .description(
      'Allow writes to a frozen portal or stage again.\n\nRuns parked by the freeze continue once you resume them.',
    )
    .argument('<portal>', argumentHelp.portalOrStage)
    .option('--reason <text>', "Reason, listed by 'freezes'", reasonArgument)
    .action((portal, { reason }, command) =>
      perform(command, async (output, globals) => {
        const unfrozen = await withStoredPortolan(globals, ({ freezes }) =>
          freezes.unfreeze({ portal, reason }),
        );
        output.show(unfrozen, () => unfrozenText(unfrozen));
        return exitStatus.done;
      }),
    );

function unfrozenText({ portal, was, altered }: Unfrozen): string {
  if (altered) return `unfrozen ${portal}; its freeze record had been altered, so who froze it is unknown`;
  if (!was) return `${portal} is not frozen`;
  return oneLine(`unfrozen ${portal}; it was frozen by ${was.who} since ${timeWords(was.at)}: ${was.reason}`);
}
