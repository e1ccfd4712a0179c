import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { type FailureDetails, PortolanError } from '../../model/errors/errors';
import { shortened } from '../../model/text/shortened';

/** What history holds of an error's words. @format characters */
const MESSAGE_MAX = 4_000;

/**
 * Turns what an activity threw into the one kind of failure that Temporal's retries understand: the code is
 * the type, permanent errors and those whose time is over are not retried, and a portal's `Retry-After` decides
 * about the next attempt.
 */
export function toFailure(thrown: unknown): Error {
  if (thrown instanceof ApplicationFailure || thrown instanceof CancelledFailure) return thrown;
  const error = PortolanError.from(thrown);
  const message = shortened(error.plainMessage, MESSAGE_MAX);
  const details: FailureDetails = {
    code: error.code,
    kind: error.meaning.kind,
    message,
    hint: error.hint,
    portal: error.facts.portal,
    portalWords: error.facts.portalWords,
    lastStatus: typeof error.facts['lastStatus'] === 'string' ? error.facts['lastStatus'] : undefined,
    triedForMs: error.facts.triedForMs,
    mayBeThere: error.facts.mayBeThere || undefined,
  };
  return ApplicationFailure.create({
    type: error.code,
    message,
    nonRetryable: error.meaning.kind === 'permanent' || error.facts.triedForMs !== undefined,
    // Temporal takes a pause of no time for the end of all attempts.
    nextRetryDelay: error.facts.retryAfterMs || undefined,
    details: [details],
    // The cause stays here: its message may hold what the portal sent, and it would travel into history.
  });
}

/** The error with the word that it was tried for so long and is tried no more. */
export function spent(error: PortolanError, triedForMs: number): PortolanError {
  const minutes = Math.floor(triedForMs / 60_000);
  return new PortolanError(
    error.code,
    `${error.plainMessage.replace(/\.$/, '')}; retried for ${minutes} minutes`,
    { ...error.facts, triedForMs },
    { cause: error.cause },
  );
}

/** "Not yet": retried after `delayMs`, counted by nobody as a failure. */
export function notYet(what: string, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NOT_YET',
    message: what,
    nonRetryable: false,
    nextRetryDelay: Math.max(1, delayMs),
    category: ApplicationFailureCategory.BENIGN,
  });
}
