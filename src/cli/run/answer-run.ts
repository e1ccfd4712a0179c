import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { loadConfig } from '../../config/load-config';
import { exitStatus } from '../../model/errors/error-codes';
import { shortRunId } from '../../model/run/run-id';
import { type ActingSources, withSources } from '../../service/run/run-sources';
import { unansweredWords } from '../../temporal/send-update';
import { perform } from '../terminal/globals';
import type { Output } from '../terminal/output';

/** What an answer came to: the object for programs, and the words for people. */
export interface Answered {
  readonly shown: { readonly runId: string; readonly taken: boolean; readonly answer?: string };
  /** Of an answer that was taken, and answered. */
  readonly words: (answer: string) => string;
  /** What to type next. @default watch */
  readonly next?: 'watch' | 'show';
}

/** The command that answers a run: sends the answer, and says what came of it, or when that will be. */
export const answering = (
  command: CommandUnknownOpts,
  answer: (sources: ActingSources, output: Output) => Promise<Answered>,
): Promise<void> =>
  perform(command, (output, globals) =>
    withSources(loadConfig(globals.config), async (sources) => {
      const { shown, words, next = 'watch' } = await answer(sources, output);
      const { taskQueue } = sources.config.temporal;
      const said =
        shown.answer === undefined
          ? await unansweredWords(sources.temporal, taskQueue, { ...shown, answer: undefined })
          : words(shown.answer);
      const label = next === 'watch' ? 'watch' : 'details';
      output.show(shown, () => `${said}\n${label.padEnd(9)}portolan run ${next} ${shortRunId(shown.runId)}`);
      return exitStatus.done;
    }),
  );
