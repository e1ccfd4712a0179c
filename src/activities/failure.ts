import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ErrorKind } from '../model/error-codes';
import { PortolanError } from '../model/errors';

/** What travels through history with a failure; `details[0]` of every failure of our activities. */
export interface FailureDetails {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly hint: string;
  readonly portal?: string;
  readonly portalWords?: string;
  /** Last word of a job that did not end in time. */
  readonly lastStatus?: string;
}

/**
 * Turns what an activity threw into the one kind of failure that Temporal's retries understand: the code is
 * the type, permanent errors are not retried, and a portal's `Retry-After` decides about the next attempt.
 */
export function toFailure(thrown: unknown): Error {
  if (thrown instanceof ApplicationFailure || thrown instanceof CancelledFailure) return thrown;
  const error = PortolanError.from(thrown);
  const details: FailureDetails = {
    code: error.code,
    kind: error.meaning.kind,
    message: error.plainMessage,
    hint: error.hint,
    portal: error.facts.portal,
    portalWords: error.facts.portalWords,
    lastStatus: typeof error.facts['lastStatus'] === 'string' ? error.facts['lastStatus'] : undefined,
  };
  return ApplicationFailure.create({
    type: error.code,
    message: error.plainMessage,
    nonRetryable: error.meaning.kind === 'permanent',
    nextRetryDelay: error.facts.retryAfterMs,
    details: [details],
    // The cause stays here: its message may hold what the portal sent, and it would travel into history.
  });
}

/** "Not yet": retried after `delayMs`, counted by nobody as a failure. */
export function notYet(what: string, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NOT_YET',
    message: what,
    nonRetryable: false,
    nextRetryDelay: delayMs,
    category: ApplicationFailureCategory.BENIGN,
  });
}
