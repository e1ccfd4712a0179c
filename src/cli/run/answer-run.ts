import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { exitStatus } from '../../model/errors/error-codes';
import { shortRunId } from '../../model/run/run-id';
import type { Portolan, Told } from '../../service/portolan/portolan';
import { perform } from '../terminal/globals';
import type { Output } from '../terminal/output';
import { withPortolan } from '../terminal/with-portolan';

/** What an answer came to: the object for programs, and the words for people. */
export interface Answered extends Told<{
  readonly runId: string;
  readonly taken: boolean;
  readonly answer?: string;
}> {
  /** Of an answer that was taken, and answered. */
  readonly words: (answer: string) => string;
  /** What to type next. @default watch */
  readonly next?: 'watch' | 'show';
}

/** The command that answers a run: sends the answer, and says what came of it, or when that will be. */
export const answering = (
  command: CommandUnknownOpts,
  answer: (portolan: Portolan, output: Output) => Promise<Answered>,
): Promise<void> =>
  perform(command, (output, globals) =>
    withPortolan(globals, async (portolan) => {
      const { shown, unanswered, words, next = 'watch' } = await answer(portolan, output);
      const said = unanswered ?? words(shown.answer ?? '');
      const label = next === 'watch' ? 'watch' : 'details';
      output.show(shown, () => `${said}\n${label.padEnd(9)}portolan run ${next} ${shortRunId(shown.runId)}`);
      return exitStatus.done;
    }),
  );
