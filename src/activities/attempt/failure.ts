import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { type FailureDetails, PortolanError } from '../../model/errors/errors';
import { shortened } from '../../model/text/plain-text';

/** Longest error message kept in history. @format characters */
const MESSAGE_MAX = 4_000;

/**
 * Turns an error into a failure Temporal can retry. Its type is the error code. Permanent errors, and those whose time
 * is up, are not retried. A portal's `Retry-After` sets the delay.
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
    // Temporal treats a delay of zero as the end of all attempts.
    nextRetryDelay: error.facts.retryAfterMs || undefined,
    details: [details],
    // Without the cause, whose message may quote the portal and would end up in history.
  });
}

/** Adds how long the retries lasted to the error, and ends them. */
export function retriesExhaustedError(error: PortolanError, triedForMs: number): PortolanError {
  const minutes = Math.floor(triedForMs / 60_000);
  return new PortolanError(
    error.code,
    `${error.plainMessage.replace(/\.$/, '')}; retried for ${minutes} minutes`,
    { ...error.facts, triedForMs },
    { cause: error.cause },
  );
}

/** "Not yet": retried after `delayMs`, and not counted as a failure. */
export function notYet(what: string, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NOT_YET',
    message: what,
    nonRetryable: false,
    nextRetryDelay: Math.max(1, delayMs),
    category: ApplicationFailureCategory.BENIGN,
  });
}
