import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { reasonArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import type { Unfrozen } from '../../../service/freeze/freeze-view';
import { timeWords } from '../../../model/text/words';

/** `portolan freeze`: nothing is written into a portal, or a stage, until it is unfrozen. */
export const freezeCommand = () =>
  new Command('freeze')
    .summary('nothing is written into a portal, or a stage, for now')
    .description(
      'Keeps whatever would write into a portal from doing so, until it is unfrozen: runs that are started are refused, and those that go on are parked before they upload or import. What a portal is working on already goes on. Of a stage, the groups of that stage are kept so, and what promotions give its portal.',
    )
    .argument('<portal>', 'portal of portolan.yaml, or PIPELINE/STAGE')
    .requiredOption('--reason <text>', 'why; whoever is refused is told', reasonArgument)
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

/** `portolan unfreeze`: what was frozen may be written into again. */
export const unfreezeCommand = () =>
  new Command('unfreeze')
    .summary('a portal, or a stage, may be written into again')
    .description(
      'Lets a frozen portal or stage be written into again. Runs that are parked meanwhile go on when they are resumed.',
    )
    .argument('<portal>', 'portal of portolan.yaml, or PIPELINE/STAGE')
    .option('--reason <text>', 'why; kept for: portolan freezes', reasonArgument)
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
  if (altered) return `unfrozen ${portal}; its freeze had been altered, so nobody can say who froze it`;
  if (!was) return `${portal} is not frozen`;
  return oneLine(`unfrozen ${portal}; it was frozen by ${was.who} since ${timeWords(was.at)}: ${was.reason}`);
}
