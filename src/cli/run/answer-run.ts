import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { loadConfig } from '../../config/load-config';
import { exitStatus } from '../../model/errors/error-codes';
import { shortRunId } from '../../model/run/run-id';
import { seekGroupRun } from '../../service/run/find-run';
import { type ActingSources, withSources } from '../../service/run/run-sources';
import type { RunView } from '../../service/run/run-view';
import { type Delivery, unansweredWords } from '../../temporal/send-update';
import { perform } from '../terminal/globals';
import type { Output } from '../terminal/output';

/** A run that somebody answers, as it is seen from here. */
export interface Answering {
  readonly sources: ActingSources;
  readonly runId: string;
  readonly view: RunView;
}

/** What an answer came to: the object for programs, and the words for people. */
export interface Answered {
  readonly shown: object;
  readonly words: string;
  /** What to type next. @default watch */
  readonly next?: 'watch' | 'show';
}

/** The command that answers a run: finds it, looks at it, sends the answer, and says what came of it. */
export const answering = (
  command: CommandUnknownOpts,
  text: string,
  answer: (run: Answering, output: Output) => Promise<Answered>,
  seek = seekGroupRun,
): Promise<void> =>
  perform(command, (output, globals) =>
    withSources(loadConfig(globals.config), async (sources) => {
      const view = await seek(sources, text);
      const { runId } = view.record;
      const { shown, words, next = 'watch' } = await answer({ sources, runId, view }, output);
      const label = next === 'watch' ? 'watch' : 'details';
      output.show(
        { runId, ...shown },
        () => `${words}\n${label.padEnd(9)}portolan run ${next} ${shortRunId(runId)}`,
      );
      return exitStatus.done;
    }),
  );

/** What is said of an answer: itself where it is there, else when it will come. */
export const answerWords = async (
  { sources }: Answering,
  delivery: Delivery,
  words: (answer: string) => string,
): Promise<string> =>
  delivery.answer === undefined
    ? await unansweredWords(sources.temporal, sources.config.temporal.taskQueue, delivery)
    : words(delivery.answer);
