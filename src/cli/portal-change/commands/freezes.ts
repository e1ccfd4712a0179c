import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { columns } from '../../terminal/columns';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { countOf, timeWords } from '../../../model/text/words';

/** `portolan freezes`: who froze which portal, when and why, including freezes that have ended. */
export const freezesCommand = () =>
  new Command('freezes')
    .description(
      'List freezes and unfreezes, newest first.\n\nThe newest entry of a portal shows whether it is frozen now.',
    )
    .argument('[portal]', 'Portal, under any name, or PIPELINE/STAGE (default: all)')
    .action((portal, _options, command) =>
      perform(command, async (output, globals) => {
        const { events, unreadable } = await withStoredPortolan(globals, ({ freezes }) =>
          freezes.list(portal),
        );
        if (unreadable.length > 0) {
          const words = `warning  cannot read ${countOf(unreadable.length, 'state file')}: ${unreadable.join(', ')}`;
          output.note(output.side.colors.yellow(oneLine(words)));
        }
        output.showList(events, (style) =>
          events.length === 0
            ? `${portal ?? 'No portal'} ${portal === undefined ? 'was ever' : 'was never'} frozen.`
            : columns(
                ['PORTAL', 'WHAT', 'AT', 'BY', 'REASON'],
                events.map(({ portal: name, what, at, who, reason }) => [
                  oneLine(name),
                  what,
                  timeWords(at),
                  oneLine(who),
                  oneLine(reason ?? ''),
                ]),
                style,
              ),
        );
        return exitStatus.done;
      }),
    );
