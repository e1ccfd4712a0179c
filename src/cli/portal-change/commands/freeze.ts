import { Command } from '@commander-js/extra-typings';
import type { Freezes, Unfrozen } from '../../../contract/freezes';
import { type Block, tableOf, type Value } from '../../../model/text/sheet';
import { countOf } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp, reasonArgument } from '../../terminal/arguments';
import { examples } from '../../terminal/help';

/** `portolan freeze`: blocks writes to a portal or stage until it is unfrozen. */
export const freezeCommand = () =>
  new Command('freeze')
    .description(
      'Block writes to a portal or stage.\n\nNew runs are refused; running ones park before they upload or import. Work already in progress on the portal continues. Freezing a stage blocks its groups and what promotions change on its portal.',
    )
    .addHelpText(...examples('production --reason "the portal is upgraded"'))
    .argument('<portal>', argumentHelp.portalOrStage)
    .requiredOption('--reason <text>', 'Reason, shown with every refusal', reasonArgument)
    .action(
      act(async ({ portolan, output }, portal, { reason }) => {
        const frozen = await portolan.freeze({ portal, reason });
        output.show(
          frozen,
          () =>
            `frozen   ${portal}: writes are blocked\nunfreeze portolan unfreeze ${portal}\nparked   portolan run list --parked`,
        );
      }),
    );

/** `portolan unfreeze`: allows writes again. */
export const unfreezeCommand = () =>
  new Command('unfreeze')
    .description(
      'Allow writes to a frozen portal or stage again.\n\nRuns parked by the freeze continue once you resume them.',
    )
    .addHelpText(...examples('production'))
    .argument('<portal>', argumentHelp.portalOrStage)
    .option('--reason <text>', "Reason, listed by 'freezes'", reasonArgument)
    .action(
      act(async ({ portolan, output }, portal, { reason }) => {
        const unfrozen = await portolan.unfreeze({ portal, reason });
        output.show(unfrozen, () => [{ lines: [unfrozenLine(unfrozen)] }]);
      }),
    );

/** `portolan freezes`: who froze which portal, when and why, including freezes that have ended. */
export const freezesCommand = () =>
  new Command('freezes')
    .description(
      'List freezes and unfreezes, newest first.\n\nThe newest entry of a portal shows whether it is frozen now.',
    )
    .addHelpText(...examples('', 'production -o json'))
    .argument('[portal]', 'Portal, under any name, or PIPELINE/STAGE (default: all)')
    .action(
      act(async ({ portolan, output }, portal) => {
        const { events, unreadable } = await portolan.listFreezes({ portal });
        if (unreadable.length > 0)
          output.warn(`cannot read ${countOf(unreadable.length, 'state file')}: ${unreadable.join(', ')}`);
        const empty = portal === undefined ? 'No portal was ever frozen.' : `${portal} was never frozen.`;
        output.showList(events, () => [freezeTable(events, empty)]);
      }),
    );

const freezeTable = (events: Freezes['events'], empty: string): Block =>
  tableOf(
    events,
    [
      ['Portal', ({ portal }) => portal],
      ['What', ({ what }) => what],
      ['At', ({ at }) => ({ time: at })],
      ['By', ({ who }) => who],
      ['Reason', ({ reason }) => reason],
    ],
    { empty },
  );

function unfrozenLine({ portal, was, altered }: Unfrozen): Value {
  if (altered) return `unfrozen ${portal}; its freeze record had been altered, so who froze it is unknown`;
  if (!was) return `${portal} is not frozen`;
  return [`unfrozen ${portal}; it was frozen by ${was.who} since `, { time: was.at }, `: ${was.reason}`];
}
