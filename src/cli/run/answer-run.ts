import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { exitStatus } from '../../model/errors/error-codes';
import { shortRunId } from '../../model/run/run-id';
import type { Portolan } from '../../service/portolan/portolan';
import type { Delivery } from '../../contract/delivery';
import { perform } from '../terminal/globals';
import type { Output } from '../terminal/output';
import { withPortolan } from '../terminal/with-portolan';

/** The result of a decision: the object for programs, and the text for people. */
interface Answered {
  readonly shown: Delivery & { readonly runId: string };
  /** Text once the run has confirmed the decision. */
  readonly words: (answer: string) => string;
  /** The next command. @default watch */
  readonly next?: 'watch' | 'show';
}

/** Sends a decision to a run and prints its result, or that it is still pending. */
export const answering = (
  command: CommandUnknownOpts,
  answer: (portolan: Portolan, output: Output) => Promise<Answered>,
): Promise<void> =>
  perform(command, (output, globals) =>
    withPortolan(globals, async (portolan) => {
      const { shown, words, next = 'watch' } = await answer(portolan, output);
      const said = shown.unanswered ?? words(shown.answer ?? '');
      const label = next === 'watch' ? 'watch' : 'details';
      output.show(shown, () => `${said}\n${label.padEnd(9)}portolan run ${next} ${shortRunId(shown.runId)}`);
      return exitStatus.done;
    }),
  );
