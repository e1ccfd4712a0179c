import { Command } from '@commander-js/extra-typings';
import { exitStatus } from '../../../model/errors/error-codes';
import { oneLine } from '../../../model/text/plain-text';
import { columns } from '../../terminal/columns';
import { perform } from '../../terminal/globals';
import { withStoredPortolan } from '../../terminal/with-portolan';
import { countOf, timeWords } from '../../../model/text/words';

/** `portolan freezes`: who froze which portal, when and why, also when that is over. */
export const freezesCommand = () =>
  new Command('freezes')
    .summary('who froze which portal, when and why')
    .description(
      'Lists who froze which portal and who unfroze it, the newest first, also when that is long over. Whether a portal is frozen now, the newest line of it says.',
    )
    .argument(
      '[portal]',
      'portal of portolan.yaml, under whatever name, or PIPELINE/STAGE; all of them where it is left out',
    )
    .action((portal, _options, command) =>
      perform(command, async (output, globals) => {
        const { events, unreadable } = await withStoredPortolan(globals, ({ freezes }) =>
          freezes.list(portal),
        );
        if (unreadable.length > 0) {
          const words = `warning  ${countOf(unreadable.length, 'note')} of it cannot be read: ${unreadable.join(', ')}`;
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
