import { Command } from '@commander-js/extra-typings';
import type { RunEvent } from '../../../contract/runs';
import { oneLine } from '../../../model/text/plain-text';
import { secondWords } from '../../../model/text/words';
import { act } from '../../terminal/act';
import { argumentHelp } from '../../terminal/arguments';
import type { Style } from '../../terminal/style';
import { examples } from '../../terminal/help';

/** `portolan run logs`: events of a run, from all workers. */
export const runLogsCommand = () =>
  new Command('logs')
    .description(
      'Show the events of a run.\n\nLists activities, timers, retries and decisions from its Temporal history, as long as Temporal keeps the run.',
    )
    .addHelpText(...examples('latest', 'k7q2 --problems'))
    .argument('<run>', argumentHelp.run)
    .option('--problems', 'Only failures, including those that were retried')
    .action(
      act(async ({ portolan, output }, run, { problems }) => {
        const events = await portolan.readEvents({ run });
        const shown = problems ? events.filter(({ kind }) => kind === 'problem') : events;
        output.showList(shown, (style) =>
          shown.length === 0 ? 'No problems.' : runEventsText(shown, style),
        );
        const { workerLog } = portolan;
        if (workerLog !== undefined) output.note(`note  the log of this machine's worker is ${workerLog}`);
      }),
    );

/** One line per event. */
export const runEventsText = (events: readonly RunEvent[], style: Style): string =>
  events.map((event) => eventLine(event, style)).join('\n');

function eventLine({ at, kind, subject, what }: RunEvent, { colors }: Style): string {
  const line = `${oneLine(subject).padEnd(12)}  ${oneLine(what)}`;
  const painted = kind === 'problem' ? colors.red(line) : kind === 'message' ? colors.bold(line) : line;
  return `${colors.dim(secondWords(at))}  ${painted}`;
}
