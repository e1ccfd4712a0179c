import type { Delivery } from '../../contract/delivery';
import { shortRunId } from '../../model/run/run-id';
import { act, type Session } from '../terminal/act';

/** The result of a decision: the object for programs, and the text for people. */
interface Answered {
  readonly shown: Delivery & { readonly runId: string };
  /** Text once the run has confirmed the decision. */
  readonly words: (answer: string) => string;
  /** The next command. @default watch */
  readonly next?: 'watch' | 'show';
}

/** Sends a decision to a run and prints its result, or that it is still pending. */
export const answering = <Given extends unknown[]>(
  answer: (session: Session, ...given: Given) => Promise<Answered>,
): ((...given: Given) => Promise<void>) =>
  act(async (session: Session, ...given: Given) => {
    const { shown, words, next = 'watch' } = await answer(session, ...given);
    const said = shown.unanswered ?? words(shown.answer ?? '');
    const label = next === 'watch' ? 'watch' : 'details';
    session.output.show(
      shown,
      () => `${said}\n${label.padEnd(9)}portolan run ${next} ${shortRunId(shown.runId)}`,
    );
  });
