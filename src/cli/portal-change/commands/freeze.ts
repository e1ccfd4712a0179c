import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import type { Freeze } from '../../../domain/policy/decide';
import { Policy } from '../../../domain/policy/policy';
import { exitStatus } from '../../../model/errors/error-codes';
import { PortolanError } from '../../../model/errors/errors';
import { oneLine } from '../../../model/text/plain-text';
import { perform } from '../../terminal/globals';
import { whoTypes } from '../../../service/run/who';
import { timeWords } from '../../../model/text/words';

/** `portolan freeze`: nothing is written into a portal, or a stage, until it is unfrozen. */
export const freezeCommand = () =>
  new Command('freeze')
    .summary('nothing is written into a portal, or a stage, for now')
    .description(
      'Keeps whatever would write into a portal from doing so, until it is unfrozen: runs that are started are refused, and those that go on are parked before they upload or import. What a portal is working on already goes on. Of a stage, the groups of that stage are kept so, and what promotions give its portal.',
    )
    .argument('<portal>', 'portal of portolan.yaml, or PIPELINE/STAGE')
    .requiredOption('--reason <text>', 'why; whoever is refused is told')
    .action((portal, { reason }, command) =>
      perform(command, async (output, globals) => {
        const policy = new Policy(loadConfig(globals.config));
        const was = await policy.freezeOf(portal);
        if (was) {
          throw new PortolanError('PORTAL_FROZEN', `${portal} is frozen already: ${frozenBy(was)}`, {
            hint: `To freeze it for another reason, first: portolan unfreeze ${portal}`,
          });
        }
        const freeze: Freeze = { portal, who: whoTypes().who, at: Date.now(), reason };
        await policy.freeze(freeze);
        output.show(
          { ...freeze, frozen: true },
          () =>
            `frozen   ${portal}: nothing is written there\nuntil    portolan unfreeze ${portal}\nparked   portolan run list --parked`,
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
    .option('--reason <text>', 'why; kept for: portolan freezes')
    .action((portal, { reason }, command) =>
      perform(command, async (output, globals) => {
        const by = { who: whoTypes().who, at: Date.now(), reason };
        const was = await new Policy(loadConfig(globals.config)).unfreeze({ portal, ...by });
        output.show({ portal, frozen: false, was }, () =>
          was ? `unfrozen ${portal}; it was frozen by ${frozenBy(was)}` : `${portal} is not frozen`,
        );
        return exitStatus.done;
      }),
    );

const frozenBy = ({ who, at, reason }: Freeze): string => oneLine(`${who} since ${timeWords(at)}: ${reason}`);
