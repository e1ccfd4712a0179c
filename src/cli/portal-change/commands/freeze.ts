import { Command } from '@commander-js/extra-typings';
import type { Freezes, Unfrozen } from '../../../contract/freezes';
import { oneLine } from '../../../model/text/plain-text';
import { countOf, timeWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp, reasonArgument } from '../../terminal/arguments';
import { columns } from '../../terminal/columns';
import type { Style } from '../../terminal/style';
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
        output.show(unfrozen, () => unfrozenText(unfrozen));
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
        output.showList(events, (style) =>
          events.length > 0
            ? eventTable(events, style)
            : portal === undefined
              ? 'No portal was ever frozen.'
              : `${portal} was never frozen.`,
        );
      }),
    );

const eventTable = (events: Freezes['events'], style: Style): string =>
  columns(
    ['PORTAL', 'WHAT', 'AT', 'BY', 'REASON'],
    events.map(({ portal, what, at, who, reason = '' }) => [
      oneLine(portal),
      what,
      timeWords(at),
      oneLine(who),
      oneLine(reason),
    ]),
    style,
  );

function unfrozenText({ portal, was, altered }: Unfrozen): string {
  if (altered) return `unfrozen ${portal}; its freeze record had been altered, so who froze it is unknown`;
  if (!was) return `${portal} is not frozen`;
  return oneLine(`unfrozen ${portal}; it was frozen by ${was.who} since ${timeWords(was.at)}: ${was.reason}`);
}
