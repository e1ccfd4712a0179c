import { CancellationScope, defineQuery, TemporalFailure } from '@temporalio/workflow';
import {
  type AnswerOutcome,
  outcomeQueryName,
  type ReceivedAnswer,
  type Signed,
} from '../../model/run/signature';
import { admitAnswer } from './activity-options';
import { errorRecordOf } from './failure';

export const outcomeQuery = defineQuery<AnswerOutcome | undefined, [nonce: string]>(outcomeQueryName);

/** Stands for the nonce of an answer without one. */
const UNSIGNED = 'unsigned';

/** How many outcomes of answers that proved nothing are kept. */
const UNPROVEN_MAX = 20;

/** What a workflow keeps of the answers it received, by nonce. Plain data, so that the next execution can have it. */
export interface Heard {
  /** Authentic answers. All are kept, because each counts once. */
  readonly proven: Record<string, AnswerOutcome>;
  /** The newest of the others, for their senders. */
  unproven: Record<string, AnswerOutcome>;
}

export const nothingHeard = (): Heard => ({ proven: {}, unproven: {} });

export const outcomeOf = ({ proven, unproven }: Heard, nonce: string): AnswerOutcome | undefined =>
  proven[nonce] ?? unproven[nonce];

/** A received answer and its effect. */
export interface Answer extends ReceivedAnswer {
  /** Throws if it does not fit. */
  readonly check: () => void;
  /** Applies it. @returns the response to its sender */
  readonly take: () => string | Promise<string>;
}

/**
 * Authenticates an answer, applies it once and keeps the outcome. One that was refused counts as used too: everyone who
 * reads the history could send it again. Never throws, because an error in a signal's handler fails the workflow.
 * Returns why it was refused.
 * @param read from an untrusted message
 */
export async function hear(heard: Heard, read: () => Answer): Promise<string | undefined> {
  let nonce = UNSIGNED;
  let isProven = false;
  try {
    const { check, take, ...received } = read();
    nonce = nonceOf(received.message);
    const misfit = problemOf(check);
    // A decision sent before a cancellation must still be accepted.
    await CancellationScope.nonCancellable(() => admitAnswer({ ...received, fits: misfit === undefined }));
    if (heard.proven[nonce]) return 'it was used before';
    isProven = true;
    heard.proven[nonce] = { status: 'checking' };
    if (misfit !== undefined) throw misfit;
    check();
    heard.proven[nonce] = { status: 'accepted', answer: await take() };
    return undefined;
  } catch (thrown) {
    const { code, message, hint } = errorRecordOf(thrown, {});
    const refused = { status: 'refused', code, message, hint } as const;
    if (isProven) heard.proven[nonce] = refused;
    else heard.unproven = newest({ ...heard.unproven, [nonce]: refused });
    if (code === 'NOT_AUTHENTIC') return 'it is not authentic';
    return thrown instanceof TemporalFailure ? message : 'it cannot be read';
  }
}

function problemOf(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return thrown as Error;
  }
}

const newest = (outcomes: Heard['unproven']): Heard['unproven'] =>
  Object.fromEntries(Object.entries(outcomes).slice(-UNPROVEN_MAX));

/** Its nonce, if it has the form of ours: others are not kept. */
function nonceOf({ proof }: Signed): string {
  const nonce: unknown = proof?.nonce;
  return typeof nonce === 'string' && /^[0-9a-f-]{36}$/.test(nonce) ? nonce : UNSIGNED;
}
